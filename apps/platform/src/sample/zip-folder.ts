import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

const UTF8_NAMES = 0x0800
const DEFLATE = 8
const STORE = 0
// 1980-01-01, the earliest date in a zip, so that the same folder gives the same bytes.
const DATE = 0x0021

/** Zips a small folder in memory; only the files in it decide the bytes. */
export async function zipFolder(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()

  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const name = Buffer.from(relative(folder, file).split(sep).join('/'))
    const data = await readFile(file)
    const deflated = deflateRawSync(data, { level: 9 })
    const isSmaller = deflated.length < data.length
    const packed = isSmaller ? deflated : data

    // The fields that the local header and the directory share, from "version needed" on.
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(UTF8_NAMES, 2)
    shared.writeUInt16LE(isSmaller ? DEFLATE : STORE, 4)
    shared.writeUInt16LE(DATE, 8)
    shared.writeUInt32LE(crc32(data), 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(data.length, 18)
    shared.writeUInt16LE(name.length, 22)

    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    const madeBy = Buffer.from([20, 0])
    directory.push(Buffer.from('PK\x01\x02'), madeBy, shared, rest, name)
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, packed])
    bodies.push(body)
    offset += body.length
  }

  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, central, end])
}
