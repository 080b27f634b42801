// Serves a folder of static files on this machine: for `make run`, and for the journeys.
// As a script: node tests/browser/server.mjs dist --port 8080

import { createReadStream } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm", // compileStreaming refuses any other type
  ".webmanifest": "application/manifest+json",
};

/// The file that a request names, or null where it names none inside the folder. Links are followed first, so that one
/// cannot lead out.
async function fileFor(folder, path) {
  let name;
  try {
    name = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (name.includes("\0")) return null;
  if (name.endsWith("/")) name += "index.html";
  try {
    const file = await realpath(join(folder, name));
    const inside = file.startsWith(folder + sep);
    const facts = await stat(file);
    return inside && facts.isFile() ? { file, size: facts.size } : null;
  } catch {
    return null;
  }
}

/// Starts a server and resolves to `{ url, requests, close }`.
///
/// - `port`: 0 takes any free one.
/// - `base`: the path under which the folder appears, to try a host that serves it below its root.
/// - `headers`: sent with every file, for instance a content security policy.
/// - `brotli`: files travel compressed, as a host sends them; each is compressed once, at the first request.
/// - `requests`: every path asked for, in order, also by workers that the page's own record would miss.
export async function serve(folder, { port = 0, base = "/", headers = {}, brotli = false } = {}) {
  const root = await realpath(resolve(folder));
  const compressed = new Map();
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    requests.push(path);
    const known = request.method === "GET" || request.method === "HEAD";
    const found = known && path.startsWith(base) ? await fileFor(root, path.slice(base.length - 1)) : null;
    if (!found) {
      response.writeHead(known ? 404 : 405, { "content-type": "text/plain; charset=utf-8" });
      response.end(known ? "Not here.\n" : "Only GET and HEAD.\n");
      return;
    }
    if (brotli && !compressed.has(found.file)) compressed.set(found.file, brotliCompressSync(await readFile(found.file)));
    const bytes = compressed.get(found.file);
    response.writeHead(200, {
      "cache-control": "no-cache",
      "content-length": bytes?.length ?? found.size,
      "content-type": TYPES[extname(found.file)] ?? "application/octet-stream",
      "x-content-type-options": "nosniff",
      ...(bytes && { "content-encoding": "br" }),
      ...headers,
    });
    if (bytes || request.method === "HEAD") response.end(bytes);
    else createReadStream(found.file).pipe(response);
  });
  await new Promise((started, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", started);
  });
  return {
    url: `http://localhost:${server.address().port}${base}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  };
}

async function main(folder, flag, value) {
  const wanted = flag === "--port" ? Number(value) : 8080;
  let server;
  try {
    server = await serve(folder, { port: wanted });
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    console.log(`Port ${wanted} is taken, so another one is used (make run PORT=... chooses).`);
    server = await serve(folder);
  }
  console.log(`discreet is at ${server.url}`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(...process.argv.slice(2));
