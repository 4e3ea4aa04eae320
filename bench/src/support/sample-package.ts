import { randomBytes } from 'node:crypto'
import {
  buildZip,
  type ZipEntry,
} from '../../../apps/platform/src/services/cedar/package/testing/zip-builder.ts'
import { defaultPackageLimits } from '../../../apps/platform/src/services/cedar/package/package-limits.ts'

const MB = 1024 * 1024
const scriptCount = 4
const imageCounts = { small: 3, large: 17 }

/**
 * A mini-app of a page, images and scripts, with different bytes each time; `large` is near the
 * limit.
 */
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

/** A megabyte that compresses about as well as a minified script. */
const script = (bytes = MB) =>
  `const data = [\n${Array.from(
    { length: Math.ceil(bytes / 64) },
    () => `  ["${randomBytes(15).toString('base64')}", "element", "attachedAt"]`,
  ).join(',\n')}\n]\n`

/** The maximum number of files of a package, of typical build sizes. */
export const packageOfManyFiles = () =>
  buildZip([
    { name: 'index.html', data: '<!doctype html><title>Bench</title>' },
    ...Array.from({ length: defaultPackageLimits.files - 1 }, (_, index) => ({
      name: `chunks/${index}.js`,
      data: script(1000 + ((index * 7919) % 15_000)),
    })),
  ])

/** The compressed bytes of the files of an archive made by `buildZip`. */
export function packedFiles(data: Buffer): Buffer[] {
  const files: Buffer[] = []
  for (let at = 0; data.readUInt32LE(at) === 0x04034b50;) {
    const start = at + 30 + data.readUInt16LE(at + 26)
    at = start + data.readUInt32LE(at + 18)
    files.push(data.subarray(start, at))
  }
  return files
}
