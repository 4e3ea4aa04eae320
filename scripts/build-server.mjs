// Bundles the server, and the programs beside it that package.json names, into apps/platform/dist.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { root } from './workspace.mjs'

const target = join(root, 'apps/platform/dist')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const programs = Object.values(scripts).flatMap((script) =>
  [...script.matchAll(/apps\/platform\/src\/\S+\.ts/g)].map(([file]) => join(root, file)),
)

rmSync(target, { recursive: true, force: true })
await bundle([join(root, 'apps/platform/src/main.ts'), ...programs], target)
