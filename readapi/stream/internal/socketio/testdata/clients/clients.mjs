// Three clients of Socket.IO, driven through standard input. Each line there is a command; each line of standard output is a
// JSON object that says what has happened to which client.
import { createInterface } from "node:readline";
import { io } from "socket.io-client";
import * as seven from "client-7";
import * as nine from "client-9";

const [url, about] = [process.argv[2], JSON.parse(process.argv[3])];
const say = (client, what, more = {}) => console.log(JSON.stringify({ client, what, ...more }));
const again = { reconnectionDelay: 50, reconnectionDelayMax: 50 };

function official(name, { StacksApiSocketClient }) {
  const client = StacksApiSocketClient.connect({ url, socketOpts: { ...again, forceNew: true } });
  const told = (event) => (...args) => say(name, "event", { event, args });
  const subscriptions = [
    client.subscribeBlocks(told("block")),
    client.subscribeMicroblocks(told("microblock")),
    client.subscribeMempool(told("mempool")),
    client.subscribeTransaction(about.transaction, told("transaction")),
    client.subscribeAddressTransactions(about.address, told("address-transaction")),
    client.subscribeAddressStxBalance(about.address, told("address-stx-balance")),
    client.subscribeNftEvent(told("nft-event")),
    client.subscribeNftAssetEvent(about.asset, about.value, told("nft-asset-event")),
    client.subscribeNftCollectionEvent(about.asset, told("nft-collection-event")),
  ];
  return { socket: client.socket, unsubscribe: () => subscriptions[0].unsubscribe() };
}

// The bare client begins with long polling, and upgrades to a WebSocket.
function bare() {
  const topics = [
    "block", "microblock", "mempool", `transaction:${about.transaction}`,
    `address-transaction:${about.address}`, `address-stx-balance:${about.address}`,
    "nft-event", `nft-asset-event:${about.asset}+${about.value}`, `nft-collection-event:${about.asset}`,
  ];
  // Half of the topics are named when it connects, and half later.
  const socket = io(url, { ...again, forceNew: true, query: { subscriptions: topics.slice(0, 4).join(",") } });
  socket.onAny((event, ...args) => say("bare", "event", { event: event.split(":")[0], name: event, args }));
  socket.once("connect", () => {
    say("bare", "transport", { transport: socket.io.engine.transport.name });
    socket.io.engine.once("upgrade", (t) => say("bare", "transport", { transport: t.name }));
    socket.emit("subscribe", topics.slice(4));
  });
  return { socket, unsubscribe: () => socket.emit("unsubscribe", "block") };
}

// The polling client never upgrades.
function polling() {
  const socket = io(url, { ...again, forceNew: true, transports: ["polling"], query: { subscriptions: "block,nft-event" } });
  socket.onAny((event, ...args) => say("polling", "event", { event: event.split(":")[0], args }));
  return { socket, unsubscribe: () => socket.emit("unsubscribe", ["block"]) };
}

const clients = { seven: official("seven", seven), nine: official("nine", nine), bare: bare(), polling: polling() };

// Packets keep their order, so an answer to this says that all before it were handled.
const settle = (name, what) => clients[name].socket.emit("subscribe", "nft-event", (error) => say(name, what, { error }));

for (const [name, { socket }] of Object.entries(clients)) {
  let before = false;
  socket.on("connect", () => {
    settle(name, before ? "reconnected" : "subscribed");
    before = true;
  });
  socket.on("connect_error", (error) => say(name, "refused", { error: error.message }));
  socket.on("disconnect", (reason) => say(name, "disconnected", { reason }));
}

const commands = {
  unsubscribe: () => Object.keys(clients).forEach((name) => {
    clients[name].unsubscribe();
    settle(name, "unsubscribed");
  }),
  drop: () => Object.values(clients).forEach(({ socket }) => socket.io.engine.close()),
  bad: () => {
    clients.bare.socket.emit("subscribe", ["block", "blocks"], (error) => say("bare", "bad", { error }));
    clients.bare.socket.emit("subscribe", "transaction:0x12", (error) => say("bare", "bad", { error }));
    clients.bare.socket.emit("unsubscribe", { topic: "block" }, (error) => say("bare", "bad", { error }));
    const refused = io(url, { forceNew: true, reconnection: false, query: { subscriptions: "block,nonsense" } });
    refused.on("connect_error", (error) => {
      say("new", "refused", { error: error.message });
      refused.close();
    });
    const other = io(url + "/other", { forceNew: true, reconnection: false });
    other.on("connect_error", (error) => {
      say("other", "refused", { error: error.message });
      other.close();
    });
  },
  quit: () => {
    Object.values(clients).forEach(({ socket }) => socket.disconnect());
    setTimeout(() => process.exit(0), 200);
  },
};
createInterface({ input: process.stdin }).on("line", (line) => commands[line]());
