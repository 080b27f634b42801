// A release that stands still before its charge: somebody else holds the ledger.

import { setTimeout } from "node:timers/promises";
import { storedLedger } from "./stored.mjs";

/// Holds a ledger's lock from a further page of the same site. `waiting(n)` resolves once n others wait for it, and
/// `stored()` is the ledger as it is stored then. The name of the lock is that of the code.
export async function hold(context, url, ledger) {
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "networkidle" });
  const name = `dp-ledger:${ledger}`;
  await page.evaluate((name) => new Promise((held) => {
    navigator.locks.request(name, () => new Promise((release) => {
      window.letGo = release;
      held();
    }));
  }), name);
  const waiters = () => page.evaluate(async (name) => {
    const { pending } = await navigator.locks.query();
    return pending.filter((lock) => lock.name === name).length;
  }, name);
  const waiting = async (count) => {
    while ((await waiters()) !== count) await setTimeout(50);
  };
  const stored = () => storedLedger(page, ledger);
  return { waiting, stored, letGo: () => page.evaluate(() => window.letGo()) };
}
