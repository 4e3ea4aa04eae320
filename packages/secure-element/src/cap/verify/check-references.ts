import { decodedOnce, notDecoded, type CodeContext } from './code-context.ts'
import { addressOf, reading, shownAddress, type Reader } from './reader.ts'

/** Checks the places that a card links, and those that it must link (the same, 6.12). */
export function checkReferences(
  { findings, model, maps }: CodeContext,
  data: Uint8Array,
  isWhole: boolean,
): void {
  const listed = maps.map(({ constants }) => new Uint8Array(constants.length))
  let isComplete = false
  reading(findings, 'RefLocation', data, (read) => {
    const blocks = model.isExtended ? read.u1() : 1
    for (let block = 0; block < blocks; block++)
      for (const width of [1, 2]) readList(read, block, width)
    isComplete = true
  })
  if (!isComplete) return
  maps.forEach(({ constants }, block) => {
    constants.forEach((width, at) => {
      if (width === 0 || listed[block]?.[at] === width) return
      findings.error(
        'referenceMissing',
        { component: 'RefLocation' },
        { target: shownAddress(addressOf(block, at), model.isExtended) },
      )
    })
  })

  function readList(read: Reader, block: number, width: number): void {
    const count = read.u2()
    let location = 0
    for (let index = 0; index < count; index++) {
      const offset = read.at()
      const step = read.u1()
      location += step
      // 255 only adds to the next distance.
      if (step === 255) continue
      const map = maps[block]
      const size = map?.constants.length ?? 0
      const isKnown = isWhole || map?.covered[location] === decodedOnce
      const isSkipped = map?.covered[location] === notDecoded
      if (location < size) listed[block]?.fill(width, location, location + 1)
      if (location + width >= size || (isKnown && !isSkipped && map?.constants[location] !== width))
        findings.error(
          'referenceWrong',
          { component: 'RefLocation', offset },
          { target: shownAddress(addressOf(block, location), model.isExtended) },
        )
    }
  }
}
