import { randomBytes } from 'node:crypto'
import {
  buildZip,
  type ZipEntry,
} from '../../../apps/platform/src/services/cedar/package/testing/zip-builder.ts'
import { defaultPackageLimits } from '../../../apps/platform/src/services/cedar/package/package-limits.ts'

const MB = 1024 * 1024
const scriptCount = 4
const imageCounts = { small: 3, large: 17 }

/** A mini-app of a page, images and scripts, other bytes each time; `large` is near the limit. */
export function samplePackage(size: keyof typeof imageCounts): Buffer {
  const entries: ZipEntry[] = [
    { name: 'index.html', data: '<!doctype html><title>Bench</title>' },
    ...Array.from({ length: imageCounts[size] }, (_, index) => ({
      name: `images/${index}.png`,
      data: randomBytes(MB),
    })),
    ...Array.from({ length: scriptCount }, (_, index) => ({
      name: `scripts/${index}.js`,
      data: script(),
    })),
  ]
  const data = buildZip(entries)
  if (data.length > defaultPackageLimits.zipBytes)
    throw new Error(`The sample package has ${data.length} bytes, more than allowed.`)
  return data
}

/** A megabyte that compresses about as far as a minified script. */
const script = () =>
  `const data = [\n${Array.from(
    { length: MB / 64 },
    () => `  ["${randomBytes(15).toString('base64')}", "element", "attachedAt"]`,
  ).join(',\n')}\n]\n`
