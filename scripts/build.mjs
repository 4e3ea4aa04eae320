// Builds the console and the server if their sources have changed.
import { build, buildServer } from './workspace.mjs'

build()
buildServer()
