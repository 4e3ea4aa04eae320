// Lets Node 20 run our TypeScript, as later ones do by themselves: `node --import` this file.
import { register } from 'node:module'

register(new URL('./run-typescript-hook.mjs', import.meta.url))
// Stack traces name the lines of the TypeScript.
process.setSourceMapsEnabled(true)
