// Lets Node 20 run our TypeScript, as later versions do natively: `node --import` this file.
import { register } from 'node:module'

register(new URL('./run-typescript-hook.mjs', import.meta.url))
// Stack traces show the lines of the TypeScript.
process.setSourceMapsEnabled(true)
