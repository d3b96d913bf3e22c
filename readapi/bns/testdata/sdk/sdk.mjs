// Makes calls of bns-v2-sdk against another base URL than its own, which is a constant in it, and prints the results.
// Usage: node sdk.mjs BASE_URL '[["getOwner", {…}], …]'
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const axios = require("axios");
const sdk = require("bns-v2-sdk");

const [base, calls] = process.argv.slice(2);
const own = "https://api.bnsv2.com";

axios.interceptors.request.use((request) => {
  if (!request.url.startsWith(own + "/")) {
    throw new Error("a request that is not for the service: " + request.url);
  }
  return { ...request, url: base + request.url.slice(own.length) };
});
// If an answer does not suit the library, it asks a node instead. That must not happen.
globalThis.fetch = (url) => Promise.reject(new Error("it fell back to a node: " + url));

const results = [];
for (const [name, options] of JSON.parse(calls)) {
  try {
    results.push(await sdk[name](options));
  } catch (error) {
    results.push({ failed: String(error?.message ?? error) });
  }
}
console.log(JSON.stringify(results, (_, value) => (typeof value === "bigint" ? `${value}n` : value)));
