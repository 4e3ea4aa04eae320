import { expect, test } from 'vitest'
import { javaCard31 } from '../card/card-state.ts'
import { softwareCard } from '../card/software-card.ts'
import { installForInstall } from '../host/install.ts'
import { loadPackage, run } from '../host/run.ts'
import { archive, components } from '../testing/cap-archive.ts'
import { extendedAid, extendedCap } from '../testing/extended-cap.ts'
import { open } from '../testing/opened-card.ts'
import { richArchive, richCap } from '../testing/rich-cap.ts'
import { readCapFile } from './cap-file.ts'

const applet = { aid: '0102030405060708', methodBlock: 1, installOffset: 8 }

test('the extended format has packages, an AID of its own and more than 64 kB of code', () => {
  const file = readCapFile(extendedCap())
  expect(file).toMatchObject({
    format: '2.3',
    isExtended: true,
    aid: extendedAid,
    major: 1,
    minor: 2,
    name: 'example.up',
    packages: [
      { aid: '0102030405', major: 1, minor: 0 },
      { aid: '010203040506', major: 1, minor: 5 },
    ],
    applets: [applet],
    javaCard: '3.1',
  })
  const sizes = new Map(file.components.map(({ name, size }) => [name, size]))
  expect(sizes.get('Method')).toBe(70_005)
  expect(sizes.get('StaticResources')).toBe(11)
  // Descriptor is not loaded, but static resources are.
  expect(file.code.at(-11)).toBe(13)
})

test.each([
  ['of a method component', (text: string) => text.replace('00011170', '00011171')],
  ['of static resources', (text: string) => text.replace(/00000006(?=0000)/, '00000007')],
  ['that is cut off', (text: string) => text.slice(0, 60)],
])('a directory with another size is refused: %s', (_, directory) => {
  expect(() => readCapFile(extendedCap({ directory }))).toThrow(/[Dd]irectory/)
})

test('the compact format of 2.3 has static resources in its directory', () => {
  const header = 'DECAFFED 0302 04 0001 05 0102030405 00'
  const plain = components({ header })
  const short = plain['Directory'] ?? new Uint8Array()
  // Four bytes for the static resources, after the size of the Debug component.
  const directory = Buffer.concat([short.subarray(3, 27), Buffer.alloc(4), short.subarray(27)])
  directory[3] = 35
  const made = components({ header, directory: directory.toString('hex') })
  expect(readCapFile(archive(made))).toMatchObject({ format: '2.3', aid: '0102030405' })
  expect(readCapFile(archive(made)).isExtended).toBeUndefined()
})

test('a card of Java Card 3.1 loads and installs it, an older one lacks its imports', async () => {
  const { aid: loadFileAid, code } = readCapFile(extendedCap({ codeSize: 40_000 }))
  const older = softwareCard({ seed: 'older' })
  await expect(loadPackage(await open(older), { loadFileAid, code })).rejects.toMatchObject({
    statusWord: 0x6438,
  })
  const card = softwareCard({ seed: 'new', packages: javaCard31 })
  const channel = await open(card)
  await loadPackage(channel, { loadFileAid, code })
  const { aid } = applet
  await run(channel.send, installForInstall({ loadFileAid, moduleAid: aid, instanceAid: aid }))
  expect(card.snapshot().loadFiles.at(-1)).toMatchObject({ aid: loadFileAid, modules: [aid] })
})

test('an application in the extended format need not have a public package', () => {
  const cap = richCap('extended')
  const header = cap.contents['Header'] ?? []
  // The number of packages, before the package and its name.
  header.splice(16, 11, 0)
  const directory = cap.contents['Directory'] ?? []
  directory[1] = header.length
  expect(readCapFile(richArchive(cap))).toMatchObject({ isExtended: true, packages: [] })
})
