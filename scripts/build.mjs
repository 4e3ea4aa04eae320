// Builds the console if its sources have changed.
import { build } from './workspace.mjs'

build()
