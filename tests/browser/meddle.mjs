// Meddling with the engine worker from outside: stops it at a step of its charge, or makes its storage refuse. The page
// under test has no such places; text is put in front of the worker's own as the page starts it.

/// Runs in the worker, before the program. `order.halt` is the number of the step, from 1, at which it stands still until
/// it is ended, and `order.vanish` that at which it is gone; `order.refuse` is `[method, store, how]`, a request that the storage refuses.
function inWorker(given) {
  const channel = new BroadcastChannel("meddle");
  let order = given;
  new BroadcastChannel("meddle-order").onmessage = ({ data }) => (order = data);
  let steps = 0;
  // A release asks for the ledger's lock; what comes before it costs nothing.
  let counting = false;
  const step = (name) => {
    if (!counting || !order) return;
    steps += 1;
    channel.postMessage({ number: steps, name });
    if (steps === order.vanish) self.close();
    if (steps === order.halt) for (;;);
  };
  const wrap = (prototype, method, around) => {
    const original = prototype[method];
    prototype[method] = function (...given) {
      return around.call(this, original, given);
    };
  };
  wrap(LockManager.prototype, "request", function (original, [name, granted]) {
    counting ||= name.startsWith("dp-ledger:");
    step("the lock is asked for");
    return original.call(this, name, (lock) => {
      step("the lock is granted");
      return granted(lock);
    });
  });
  wrap(IDBDatabase.prototype, "transaction", function (original, given) {
    const transaction = original.apply(this, given);
    const writes = given[1] === "readwrite";
    step(writes ? "a write begins" : "a read begins");
    transaction.addEventListener("complete", () => step(writes ? "a write is complete" : "a read is complete"));
    return transaction;
  });
  for (const method of ["put", "add"]) {
    wrap(IDBObjectStore.prototype, method, function (original, given) {
      const [refused, store, how] = order?.refuse ?? [];
      const now = counting && refused === method && store === this.name;
      if (now && how === "throw") throw new DOMException("The disk is full.", "QuotaExceededError");
      const answer = original.apply(this, given);
      if (now) this.transaction.abort();
      step(`${this.name} is written`);
      return answer;
    });
  }
  wrap(self, "postMessage", function (original, given) {
    const kind = /^(?:"|{")(charged|released)"/.exec(given[0]?.body)?.[1];
    if (kind) step(`the page is told: ${kind}`);
    return original.apply(self, given);
  });
}

/// Runs in the page. A worker reads the order when it is started, and hears of later ones, because it may be started ahead.
function inPage(text) {
  const original = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    if (blob.type !== "text/javascript") return original(blob);
    const before = `(${text})(${JSON.stringify(window.meddle ?? null)});\n`;
    return original(new Blob([before, blob], { type: blob.type }));
  };
  new BroadcastChannel("meddle").onmessage = ({ data }) => window.reportStep?.(data);
}

/// Lets a page be meddled with: `order(page, {...})` says how, for the releases from now on. `reached(number)` is the
/// name of a step once a worker has come to it, and `steps` are the names of all that were reached.
export async function meddler(context) {
  const seen = { steps: [], waiting: [] };
  await context.exposeBinding("reportStep", (_source, { number, name }) => {
    seen.steps[number - 1] = name;
    seen.waiting = seen.waiting.filter((one) => one.number !== number || one.found(name));
  });
  await context.addInitScript(inPage, inWorker.toString());
  return {
    order(page, what) {
      seen.steps = [];
      return page.evaluate((order) => {
        window.meddle = order;
        new BroadcastChannel("meddle-order").postMessage(order);
        return new Promise((heard) => setTimeout(heard, 100));
      }, what);
    },
    reached: (number) => new Promise((found) => {
      if (seen.steps[number - 1]) found(seen.steps[number - 1]);
      else seen.waiting.push({ number, found });
    }),
    steps: () => [...seen.steps],
  };
}

/// Whether the browser promises to keep what it stores.
export const promise = (context, keeps) => context.addInitScript((keeps) => {
  // An empty page has no storage in Firefox.
  if (window.StorageManager) StorageManager.prototype.persist = () => Promise.resolve(keeps);
}, keeps);
