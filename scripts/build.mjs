// Builds the console when a source of it has changed.
import { build } from './workspace.mjs'

build()
