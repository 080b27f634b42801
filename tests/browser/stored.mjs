// What the page's site keeps on this machine. The names of stores are those of the code: what is looked at has no look.

/// The records of each store of its databases, by key, and what else a page can write. A key of the browser is only named, a file is its
/// text, and bytes are a list.
export const stored = (page) => page.evaluate(async () => {
  const answer = (request) => new Promise((found, failed) => {
    request.onsuccess = () => found(request.result);
    request.onerror = failed;
  });
  const plain = (value) => (value instanceof CryptoKey ? "a key" : value instanceof Blob ? value.text() : ArrayBuffer.isView(value) ? [...value] : value);
  const stores = {};
  for (const { name } of await indexedDB.databases()) {
    const database = await answer(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const content = database.transaction(store).objectStore(store);
      const [keys, values] = [await answer(content.getAllKeys()), await answer(content.getAll())];
      stores[store] = Object.fromEntries(await Promise.all(values.map(async (value, place) => [keys[place], await plain(value)])));
    }
    database.close();
  }
  return { stores, local: { ...localStorage }, session: { ...sessionStorage } };
});

/// The ledger that is stored, or the one with this id.
export async function storedLedger(page, id) {
  const { ledgers } = (await stored(page)).stores;
  return JSON.parse(id === undefined ? Object.values(ledgers)[0] : ledgers[id]);
}
