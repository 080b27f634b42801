// Starts the page's module. The build writes the two names into this script's element.
const { appJs, appWasm } = document.querySelector("script[data-app-js]").dataset;
const app = await import(new URL(appJs, document.baseURI));
await app.default({ module_or_path: new URL(appWasm, document.baseURI) });
document.documentElement.dataset.ready = "";
