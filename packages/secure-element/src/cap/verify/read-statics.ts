import type { Collector } from './finding.ts'
import type { StaticImage } from './model.ts'
import { reading } from './reader.ts'

/** Bytes of one element: boolean, byte, short, int. */
const widths: Record<number, number> = { 2: 1, 3: 1, 4: 2, 5: 4 }

export interface StaticFields extends StaticImage {
  arrays: number
  /** Bytes of all initialized arrays. */
  arrayBytes: number
}

/** The StaticField component (Java Card VM Specification 3.1, 6.11). */
export function readStatics(findings: Collector, data: Uint8Array): StaticFields {
  const image: StaticFields = { size: 0, references: 0, arrays: 0, arrayBytes: 0 }
  reading(findings, 'StaticField', data, (read) => {
    image.size = read.u2()
    image.references = read.u2()
    const arrays = read.u2()
    for (let index = 0; index < arrays; index++) {
      const place = { component: 'StaticField', offset: read.at() } as const
      const type = read.u1()
      const length = read.u2()
      const width = widths[type]
      if (width === undefined || length % width !== 0)
        findings.error('staticArray', place, { length, type })
      read.take(length)
      image.arrays++
      image.arrayBytes += length
    }
    const defaults = read.u2()
    const values = read.u2()
    read.take(values)
    const found = 2 * image.references + defaults + values
    if (found !== image.size || arrays > image.references)
      findings.error(
        'staticSize',
        { component: 'StaticField', offset: 0 },
        { wanted: image.size, found },
      )
  })
  return image
}
