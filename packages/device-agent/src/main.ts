#!/usr/bin/env node
import { check } from './check/check.ts'

const [, , name, ...rest] = process.argv
// The other two read the command line and run when they are loaded.
if (name === 'check') process.exit(await check(rest))
else if (name === 'fleet') await import('./fleet.ts')
else await import('./device.ts')
