// CommonJS, since a bundler evaluates a module that is required inside a function when that function is called, and not
// when the bundle loads. Nothing of the package runs, nor is its WebAssembly compiled, where Node has Argon2 itself.
exports.loadWasmArgon2 = () => require('hash-wasm/dist/argon2.umd.min.js')
