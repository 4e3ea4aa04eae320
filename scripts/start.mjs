// Install, build and run, each only if needed.
import { build, prepare, runTypeScript } from './workspace.mjs'

prepare()
build()
runTypeScript('apps/platform/src/main.ts', process.argv.slice(2))
