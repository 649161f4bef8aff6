import type { argon2id } from 'hash-wasm'

/** Returns the package's Argon2 in WebAssembly. The first call loads it. */
export function loadWasmArgon2(): { readonly argon2id: typeof argon2id }
