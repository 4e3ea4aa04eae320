// Install, build and run, each only if needed.
import { build, buildServer, prepare, runServer } from './workspace.mjs'

prepare()
build()
buildServer()
runServer(process.argv.slice(2))
