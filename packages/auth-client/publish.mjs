// The published package has no sources, so the `source` condition of this repository would point
// nowhere, and a project may use a condition of that name itself.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const [action] = process.argv.slice(2)
const saved = 'package.json.saved'

if (action === 'strip') {
  const {
    devDependencies: _,
    scripts: __,
    ...manifest
  } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const conditions of Object.values(manifest.exports)) delete conditions.source
  copyFileSync('package.json', saved)
  writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
}
if (action === 'restore') renameSync(saved, 'package.json')
