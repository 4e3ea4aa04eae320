import * as fc from 'fast-check'
import { unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { richArchive, richCap, richFormats, type RichCap } from '../../testing/rich-cap.ts'
import { CapError } from '../cap-error.ts'
import type { ComponentName } from '../components.ts'
import { makeCap, sampleCap } from '../make-cap.ts'
import { stopsLoading } from './finding.ts'
import { capFindingCodes, type CapFindingCode } from './finding-texts.ts'
import { verifyCap } from './verify-cap.ts'

test.each(richFormats)('a valid file of format %s has no finding', (format) => {
  const cap = richCap(format)
  expect(verifyCap(richArchive(cap))).toEqual({
    findings: [],
    isTruncated: false,
    methods: 8,
    instructions: 51,
    hasDescriptor: true,
  })
})

test('without a descriptor, the code that something leads to is verified', () => {
  expect(verifyCap(makeCap(sampleCap))).toMatchObject({
    findings: [],
    methods: 3,
    hasDescriptor: false,
  })
  const cap = richCap('2.1')
  delete cap.contents['Descriptor']
  const { findings, methods } = verifyCap(richArchive(cap))
  expect(findings).toEqual([])
  // m1 and p0 of the base class are in its tables.
  expect(methods).toBe(8)
})

const bytesOf = (cap: RichCap, name: ComponentName) => cap.contents[name] ?? []
/** The first instruction of a method, in its component or block. */
const codeAt = (cap: RichCap, method: string) => (cap.places.get(method)?.offset ?? 0) + 2
const set =
  (name: ComponentName, at: number | ((cap: RichCap) => number), ...values: number[]) =>
  (cap: RichCap) => {
    const from = typeof at === 'number' ? at : at(cap)
    values.forEach((value, index) => (bytesOf(cap, name)[from + index] = value))
  }
const code = (method: string, at: number, ...values: number[]) =>
  set('Method', (cap) => codeAt(cap, method) + at, ...values)
const constant = (index: number, ...values: number[]) =>
  set('ConstantPool', 2 + 4 * index, ...values)
/** Where a method's descriptor begins, by its class and position. */
const described = (address: number) => (cap: RichCap) => {
  const bytes = bytesOf(cap, 'Descriptor')
  const at = bytes.findIndex(
    (byte, index) => index > 20 && byte * 256 + (bytes[index + 1] ?? 0) === address,
  )
  return at - 2
}

test.each<[CapFindingCode, ComponentName, (cap: RichCap) => void]>([
  ['headerExports', 'Header', set('Header', 6, 0x04)],
  ['directorySize', 'Directory', set('Directory', 21, 0xee)],
  ['directoryCount', 'Directory', set('Directory', 28, 9)],
  [
    'importTwice',
    'Import',
    (cap) =>
      (cap.contents['Import'] = [
        ...bytesOf(cap, 'Import').slice(0, 11),
        ...bytesOf(cap, 'Import').slice(1, 11),
      ]),
  ],
  [
    'importSelf',
    'Import',
    (cap) => bytesOf(cap, 'Import').splice(11, 10, 0, 1, 6, 0xd2, 0x76, 0, 0, 0x85, 2),
  ],
  ['appletRid', 'Applet', set('Applet', 2, 0xd3)],
  ['appletInstall', 'Applet', set('Applet', 9, 0, 3)],
  ['installShape', 'Applet', code('install', -1, 0x20)],
  ['poolTag', 'ConstantPool', constant(6, 7)],
  ['poolPackage', 'ConstantPool', constant(3, 6, 0x85)],
  ['poolClass', 'ConstantPool', constant(6, 1, 0, 1)],
  ['poolMethod', 'ConstantPool', constant(4, 6, 0, 0, 1)],
  ['poolToken', 'ConstantPool', constant(9, 3, 0, 3, 9)],
  ['poolField', 'ConstantPool', constant(0, 2, 0, 3, 5)],
  ['poolStatic', 'ConstantPool', constant(2, 5, 0, 0, 5)],
  ['cutOff', 'Class', (cap) => bytesOf(cap, 'Class').pop()],
  ['leftOver', 'ConstantPool', (cap) => bytesOf(cap, 'ConstantPool').push(0)],
  ['classSuper', 'Class', set('Class', 18, 0, 0)],
  ['classInterface', 'Class', set('Class', 1, 0, 3)],
  ['classTables', 'Class', set('Class', 23, 9)],
  ['classMethod', 'Class', set('Class', 14, 0x7f)],
  ['classFields', 'Class', set('Class', 8, 9)],
  ['classIndex', 'Class', (cap) => (bytesOf(cap, 'Class')[bytesOf(cap, 'Class').length - 1] = 99)],
  ['methodFlags', 'Method', code('p0', -2, 0x10)],
  ['methodGap', 'Method', (cap) => bytesOf(cap, 'Method').push(0x7a)],
  ['methodArguments', 'Method', code('m1', -1, 0x30)],
  ['handlerRange', 'Method', set('Method', 3, 0x80, 0x16)],
  ['handlerTarget', 'Method', set('Method', 6, 0)],
  ['handlerType', 'Method', set('Method', 7, 0, 3)],
  ['opcode', 'Method', code('process', 5, 0xc9)],
  ['cutInstruction', 'Method', code('p0', 0, 0x11)],
  ['branch', 'Method', code('process', 8, 0x13)],
  ['branch', 'Method', code('process', 8, 0x7f)],
  ['switchTable', 'Method', code('m1', 6, 0, 9)],
  ['operand', 'Method', code('area', 2, 9)],
  ['poolIndex', 'Method', code('install', 1, 0, 99)],
  ['poolKind', 'Method', code('install', 1, 0, 3)],
  ['poolKind', 'Method', code('process', 21, 0, 6)],
  ['local', 'Method', code('m1', 0, 0x1f)],
  ['fallsOff', 'Method', code('area', 7, 0)],
  ['integers', 'Method', code('m1', 0, 0x23)],
  ['staticKind', 'Method', code('process', 0, 0x7d)],
  ['staticSize', 'StaticField', set('StaticField', 3, 2)],
  ['staticArray', 'StaticField', set('StaticField', 6, 9)],
  ['referenceWrong', 'RefLocation', set('RefLocation', 2, 5)],
  ['referenceMissing', 'RefLocation', set('RefLocation', 2, 5)],
  ['exportClass', 'Export', set('Export', 6, 1)],
  ['exportField', 'Export', set('Export', 10, 5)],
  ['exportMethod', 'Export', set('Export', 12, 1)],
  ['descriptorClass', 'Descriptor', set('Descriptor', 4, 1)],
  ['descriptorMissing', 'Descriptor', set('Descriptor', 4, 1)],
  ['descriptorType', 'Descriptor', set('Descriptor', 15, 0xff)],
  ['descriptorCount', 'Descriptor', (cap) => bytesOf(cap, 'ConstantPool').splice(0, 2, 0, 13)],
  [
    'descriptorMethod',
    'Descriptor',
    (cap) => set('Descriptor', described(cap.places.get('p0')?.offset ?? 0), 0x80, 0, 0x7f)(cap),
  ],
  [
    'descriptorToken',
    'Descriptor',
    (cap) => set('Descriptor', described(cap.places.get('process')?.offset ?? 0), 8)(cap),
  ],
])('%s in %s is found', (wanted, component, change) => {
  const cap = richCap('2.1')
  change(cap)
  const { findings } = verifyCap(richArchive(resized(cap)))
  expect(findings.map((each) => `${each.code} ${each.component}`)).toContain(
    `${wanted} ${component}`,
  )
  for (const { message } of findings) expect(message).not.toMatch(/[{}]|undefined/)
})

/** Adjusts the directory's sizes after a change of loaded components. */
function resized(cap: RichCap): RichCap {
  const names = [
    'Header',
    'Directory',
    'Applet',
    'Import',
    'ConstantPool',
    'Class',
    'Method',
  ] as const
  names.forEach((name, index) => {
    if (name !== 'Directory') set('Directory', 2 * index, 0, bytesOf(cap, name).length)(cap)
  })
  return cap
}

test('resources and blocks of the extended format are verified', () => {
  const cap = richCap('extended')
  set('StaticResources', 7, 9)(cap)
  set('StaticResources', 9, 1)(cap)
  set('Method', 5, 0xff)(cap)
  const codes = verifyCap(richArchive(cap)).findings.map((each) => each.code)
  expect(codes).toEqual(expect.arrayContaining(['resourceSize', 'resourceTwice', 'methodBlock']))
})

test('a finding names the method, its class and token, and the place', () => {
  const cap = richCap('2.2')
  code('process', 8, 0x7f)(cap)
  const [found] = verifyCap(richArchive(cap)).findings
  const offset = cap.places.get('process')?.offset ?? 0
  expect(found).toEqual({
    severity: 'error',
    code: 'branch',
    component: 'Method',
    offset: offset + 2 + 7,
    method: { number: 6, offset, classOffset: 31, classToken: 2, token: 7 },
    params: {
      name: 'ifeq',
      target: (offset + 2 + 7 + 0x7f).toString(16).toUpperCase().padStart(4, '0'),
    },
    message: expect.stringContaining('ifeq jumps to'),
  })
})

test('what no card can link is told from what it does not look at', () => {
  const errorsOf = (change: (cap: RichCap) => void) => {
    const cap = richCap('2.1')
    change(cap)
    return verifyCap(richArchive(resized(cap))).findings
  }
  expect(errorsOf(constant(3, 6, 0x85)).some(stopsLoading)).toBe(true)
  expect(errorsOf(code('process', 8, 0x7f)).some(stopsLoading)).toBe(false)
})

test('every code has a text of its own', () => {
  expect(new Set(capFindingCodes).size).toBe(capFindingCodes.length)
})

test.each(richFormats)(
  'any bytes of any component of format %s give findings or a CapError @long',
  (format) => {
    const { contents } = richCap(format)
    const change = fc.constantFrom(...Object.keys(contents)).chain((name) =>
      fc.record({
        name: fc.constant(name),
        at: fc.nat((contents[name]?.length ?? 1) - 1),
        byte: fc.nat(255),
        cut: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const cap = richCap(format)
        for (const { name, at, byte, cut } of changes) {
          const bytes = cap.contents[name] ?? []
          bytes[at] = byte
          if (cut && changes.length > 3) bytes.length = at
        }
        try {
          const { findings } = verifyCap(richArchive(cap), { limit: 20 })
          expect(findings.length).toBeLessThanOrEqual(20)
        } catch (error) {
          expect(error).toBeInstanceOf(CapError)
        }
      }),
      { numRuns: 600 },
    )
  },
)

test('any other list of places to link is found', () => {
  for (const format of richFormats) {
    const size = bytesOf(richCap(format), 'RefLocation').length
    for (let at = 0; at < size; at++) {
      const cap = richCap(format)
      bytesOf(cap, 'RefLocation')[at] = ((bytesOf(cap, 'RefLocation')[at] ?? 0) + 1) & 0xff
      expect(verifyCap(richArchive(cap)).findings, `${format} ${at}`).not.toEqual([])
    }
  }
})

test('most changes of a byte of code are found', () => {
  const size = bytesOf(richCap('2.3'), 'Method').length
  let found = 0
  for (let at = 1; at < size; at++) {
    const cap = richCap('2.3')
    bytesOf(cap, 'Method')[at] = (bytesOf(cap, 'Method')[at] ?? 0) ^ 0x55
    if (verifyCap(richArchive(cap)).findings.length > 0) found++
  }
  expect(found / (size - 1)).toBeGreaterThan(0.8)
})

test('the largest files take little time, and have a limit of findings', () => {
  const files = unzipSync(makeCap({ ...sampleCap, size: 65_000 }))
  const name = 'example/ndef/javacard/Method.cap'
  const method = files[name] ?? new Uint8Array()
  const seconds = (fill: number) => {
    // A switch, a jump or garbage at every position; install is the second method.
    method.fill(fill, 20)
    const before = process.cpuUsage()
    const { findings, isTruncated } = verifyCap(zipSync({ ...files, [name]: method }))
    expect(findings.length).toBeLessThanOrEqual(100)
    expect(isTruncated || findings.length > 0).toBe(true)
    return process.cpuUsage(before).user / 1e6
  }
  for (const fill of [0x60, 0x73, 0x75, 0x8b, 0xff, 0x00]) expect(seconds(fill)).toBeLessThan(2)
})
