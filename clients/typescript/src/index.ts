export { createStrata, type Strata, type StrataOptions } from "./client.js";
export { pages, rows, type Ask, type Place } from "./pages.js";
export { Refusal } from "./refusal.js";
export { follow, type EventOf, type FollowOptions, type Stream } from "./stream.js";
export { broadcast, type Broadcasted } from "./broadcast.js";
export { checkProof, fetchProof, type Proven } from "./proof.js";
export { Session } from "./session.js";
export type { components, operations, paths } from "./schema.js";
