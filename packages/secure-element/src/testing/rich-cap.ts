import { zipSync } from 'fflate'
import { concat, readHex } from '../bytes.ts'
import { componentNames, headOf, type ComponentName } from '../cap/components.ts'

/** A format of CAP files; `extended` is the other variant of 2.3. */
export type RichFormat = '2.1' | '2.2' | '2.3' | 'extended'
export const richFormats: readonly RichFormat[] = ['2.1', '2.2', '2.3', 'extended']

const short = (value: number) => [value >> 8, value & 0xff]
const long = (value: number) => [...short(value >>> 16), ...short(value & 0xffff)]
const hex = (text: string) => [...readHex(text)]
const join = (...parts: (number | readonly number[])[]): number[] => parts.flat()

const constants = [
  'field',
  'bytes',
  'counter',
  'objectInit',
  'baseInit',
  'appletInit',
  'app',
  'appInit',
  'shape',
  'm1',
  'p0',
  'exception',
  'register',
  'superM1',
] as const
type Constant = (typeof constants)[number]

interface RichMethod {
  name: string
  of: 'base' | 'sub' | 'app'
  token: number
  flags: number
  type: 'nothing' | 'shorts' | 'install' | 'object'
  /** The header and the code: hex, and constants by name, whose index has two bytes, or one (`1:`). */
  body: string
}

const methods: readonly RichMethod[] = [
  {
    name: 'baseInit',
    of: 'base',
    token: 0,
    flags: 0x81,
    type: 'nothing',
    body: '02 10  18  8C objectInit  18  03  89 1:field  7A',
  },
  // A switch with the cases 1 and 5.
  {
    name: 'm1',
    of: 'base',
    token: 1,
    flags: 1,
    type: 'shorts',
    body: '02 20  1D  75 0011 0002 0001 000D 0005 000F  04 78  05 78  AF 1:field  78',
  },
  {
    name: 'p0',
    of: 'base',
    token: 0x80,
    flags: 0,
    type: 'nothing',
    body: '00 10  7A',
  },
  {
    name: 'subM1',
    of: 'sub',
    token: 1,
    flags: 1,
    type: 'shorts',
    body: '02 20  18  1D  8C superM1  78',
  },
  {
    name: 'appInit',
    of: 'app',
    token: 0xff,
    flags: 0x82,
    type: 'nothing',
    body: '01 10  18  8C appletInit  18  8B register  7A',
  },
  {
    name: 'install',
    of: 'app',
    token: 0,
    flags: 9,
    type: 'install',
    body: '02 30  8F app  3D  8C appInit  3B  7A',
  },
  // The handler begins at the last pop.
  {
    name: 'process',
    of: 'app',
    token: 7,
    flags: 1,
    type: 'object',
    body: '03 21  7B bytes  2D 1A 03 25  60 15  7D counter  04 41  81 counter  18 03  8E 02 shape 00  3B  70 03  3B  7A',
  },
  {
    name: 'area',
    of: 'app',
    token: 8,
    flags: 1,
    type: 'shorts',
    body: '01 20  01  94 0B 0000  3B  1D  78',
  },
]

/** Methods of the second block in the extended format. */
const later = new Set(['appInit', 'install', 'process', 'area'])
const typeOffsets = { nothing: 0, shorts: 2, install: 4, object: 7, bytes: 11 }
const typeBytes = hex('0110 0244 04B431 066800A1 01B0')

/** Contents of the components by name, and the offsets of methods in their blocks. */
export interface RichCap {
  contents: Record<string, number[]>
  places: Map<string, { block: number; offset: number; code: number }>
  isExtended: boolean
  format: RichFormat
}

/**
 * A library with an applet, assembled by hand: an interface, a class, a subclass that calls it, an
 * applet with a handler and a switch, static fields, exports and a descriptor.
 */
export function richCap(format: RichFormat): RichCap {
  const isExtended = format === 'extended'
  const since23 = format === '2.3' || isExtended
  const places: RichCap['places'] = new Map()
  const blocks = isExtended
    ? [
        methods.filter(({ name }) => !later.has(name)),
        methods.filter(({ name }) => later.has(name)),
      ]
    : [methods]
  const listed: number[][] = []
  const codes = blocks.map((own, block) => assemble(own, { block, places, listed }))
  const at = (name: string) => places.get(name) ?? { block: 0, offset: 0, code: 0 }
  const method = (name: string) => [
    ...(isExtended ? [at(name).block] : []),
    ...short(at(name).offset),
  ]
  const { classes, offsets } = classesOf({ method, format, since23 })
  const external = (...bytes: number[]) => bytes
  const internal = (name: string) => [isExtended ? at(name).block : 0, ...short(at(name).offset)]
  const values: Record<Constant, number[]> = {
    field: [2, ...short(offsets.base), 0],
    bytes: [5, 0, ...short(0)],
    counter: [5, 0, ...short(2)],
    objectInit: external(6, 0x81, 0, 0),
    baseInit: [6, ...internal('baseInit')],
    appletInit: external(6, 0x80, 3, 0),
    app: [1, ...short(offsets.app), 0],
    appInit: [6, ...internal('appInit')],
    shape: [1, ...short(offsets.shape), 0],
    m1: [3, ...short(offsets.base), 1],
    p0: [3, ...short(offsets.base), 0x80],
    exception: external(1, 0x81, 2, 0),
    register: [3, ...short(offsets.app), 1],
    superM1: [4, ...short(offsets.sub), 1],
  }
  const packageInfo = [0, 1, 6, ...hex('D27600008502')]
  const contents: Record<string, number[]> = {
    Header: [
      ...hex('DECAFFED'),
      ...{ '2.1': [1, 2], '2.2': [2, 2], '2.3': [3, 2], extended: [3, 2] }[format],
      isExtended ? 0x0e : 0x06,
      ...packageInfo,
      ...(isExtended ? [1, ...packageInfo, 0] : format === '2.1' ? [] : [0]),
    ],
    Applet: [1, 7, ...hex('D2760000850201'), ...method('install')],
    Import: [2, ...hex('020107A0000000620101'), ...hex('000107A0000000620001')],
    ConstantPool: [...short(constants.length), ...constants.flatMap((name) => values[name])],
    Class: classes,
    Method: isExtended ? withBlocks(codes) : (codes[0] ?? []),
    // A byte array of two bytes, a short without an initial value and a byte with one.
    StaticField: hex('0005 0001 0001 03 0002 0708 0002 0001 09'),
    RefLocation: [...(isExtended ? [blocks.length] : []), ...listed.flat()],
    Export: [
      ...(isExtended ? [1] : []),
      2,
      ...join(short(offsets.shape), 0, 0),
      ...join(short(offsets.base), 1, 1, short(2), method('baseInit')),
    ],
    Descriptor: descriptorOf({ offsets, method, places, isExtended }),
    ...(since23 && { StaticResources: hex('0002 0001 00000003 0002 00000001 0A0B0C 0D') }),
  }
  contents['Directory'] = directoryOf(contents, { format, isExtended, blocks: blocks.length })
  return { contents, places, isExtended, format }
}

/**
 * Assembles a block of methods; `listed` collects the positions of its one-byte and two-byte
 * references.
 */
function assemble(
  own: readonly RichMethod[],
  { block, places, listed }: { block: number; places: RichCap['places']; listed: number[][] },
): number[] {
  const handlers = own.some(({ name }) => name === 'process') ? 1 : 0
  const code: number[] = []
  const from = 1 + 8 * handlers
  const found: [number[], number[]] = [[], handlers ? [7] : []]
  for (const { name, body } of own) {
    const offset = from + code.length
    const start = code.length
    for (const part of body.split(/\s+/)) {
      const constant = constants.find((each) => part === each || part === `1:${each}`)
      if (constant === undefined) code.push(...hex(part))
      else {
        const width = part.startsWith('1:') ? 1 : 2
        found[width - 1]?.push(from + code.length)
        const index = constants.indexOf(constant)
        code.push(...(width === 1 ? [index] : short(index)))
      }
    }
    places.set(name, { block, offset, code: code.length - start - 2 })
  }
  for (const locations of found) {
    const steps = locations.map((each, index) => each - (locations[index - 1] ?? 0))
    listed.push([...short(steps.length), ...steps])
  }
  const start = (places.get('process')?.offset ?? 0) + 2
  const handler = [
    ...short(start),
    ...short(0x8000 + 25),
    ...short(start + 27),
    ...short(constants.indexOf('exception')),
  ]
  return [handlers, ...(handlers ? handler : []), ...code]
}

function withBlocks(codes: readonly number[][]): number[] {
  const starts: number[] = []
  let at = 1 + 4 * codes.length
  for (const code of codes) {
    starts.push(at)
    at += code.length
  }
  return [codes.length, ...starts.flatMap(long), ...codes.flat()]
}

function classesOf({
  method,
  format,
  since23,
}: {
  method: (name: string) => number[]
  format: RichFormat
  since23: boolean
}) {
  const classes: number[] = format === '2.1' ? [] : [0, 0]
  const offsets = { shape: 0, base: 0, sub: 0, app: 0 }
  const add = (name: keyof typeof offsets, ...bytes: number[]) => {
    offsets[name] = classes.length
    classes.push(...bytes)
  }
  // The superclass's tokens for each public method, and how many an older package inherits.
  const mapping = (count: number) =>
    since23 ? [...Array.from({ length: count }, () => 0xff), count] : []
  add('shape', 0xc1, 0x80, 2)
  add('base', 0, 0x81, 0, 2, 0xff, 0, 1, 1, 0, 1, ...method('m1'), ...method('p0'), ...mapping(2))
  add('sub', 0, ...short(offsets.base), 0, 0xff, 0, 1, 1, 1, 0, ...method('subM1'), ...mapping(2))
  add(
    'app',
    1,
    0x80,
    3,
    0,
    0xff,
    0,
    7,
    2,
    0,
    0,
    ...method('process'),
    ...method('area'),
    ...short(offsets.shape),
    1,
    8,
    ...mapping(9),
  )
  return { classes, offsets }
}

function descriptorOf({
  offsets,
  method,
  places,
  isExtended,
}: {
  offsets: ReturnType<typeof classesOf>['offsets']
  method: (name: string) => number[]
  places: RichCap['places']
  isExtended: boolean
}): number[] {
  const types = 2 + 2 * constants.length
  const typeAt = (name: keyof typeof typeOffsets) => short(types + typeOffsets[name])
  const methodOf = ({ name, token, flags, type }: RichMethod) => [
    ...join(token, flags, method(name), typeAt(type), short(places.get(name)?.code ?? 0)),
    ...short(name === 'process' ? 1 : 0),
    ...short(0),
  ]
  const classOf = (
    name: keyof typeof offsets,
    token: number,
    flags: number,
    { interfaces = [], fields = [] }: { interfaces?: number[]; fields?: number[][] } = {},
  ) => {
    const own = methods.filter(({ of }) => of === name)
    return [
      ...join(token, flags, short(offsets[name]), interfaces.length / 2),
      ...join(short(fields.length), short(own.length), interfaces, fields.flat()),
      ...own.flatMap(methodOf),
    ]
  }
  const abstract = [
    0,
    0x41,
    ...(isExtended ? [0] : []),
    0,
    0,
    ...typeAt('shorts'),
    ...hex('000000000000'),
  ]
  return [
    ...(isExtended ? [1] : []),
    4,
    ...join(0, 0xc1, short(offsets.shape), 0, 0, 0, 0, 1, abstract),
    ...classOf('base', 1, 1, {
      fields: [
        [0, 4, ...short(offsets.base), 0, 0x80, 4],
        [0xff, 8, 0, 0, 0, ...typeAt('bytes')],
        [0, 9, 0, 0, 2, 0x80, 4],
      ],
    }),
    ...classOf('sub', 0xff, 0),
    ...classOf('app', 2, 1, { interfaces: short(offsets.shape) }),
    ...short(constants.length),
    ...constants.flatMap(() => short(0xffff)),
    ...typeBytes,
  ]
}

function directoryOf(
  contents: Record<string, number[]>,
  { format, isExtended, blocks }: { format: RichFormat; isExtended: boolean; blocks: number },
): number[] {
  const listed = componentNames.filter((name) =>
    name === 'Debug'
      ? format !== '2.1'
      : name === 'StaticResources'
        ? format === '2.3' || isExtended
        : true,
  )
  const width = (name: ComponentName) => headOf(name, isExtended) - 1
  const counts = [...hex('0005 0001 0002'), 2, 1, ...(isExtended ? [blocks] : []), 0]
  const own = listed.reduce((sum, name) => sum + width(name), counts.length)
  return [
    ...listed.flatMap((name) => {
      const size = name === 'Directory' ? own : (contents[name]?.length ?? 0)
      return width(name) === 4 ? long(size) : short(size)
    }),
    ...counts,
  ]
}

/** The archive of components; their sizes follow the contents, but those in the directory do not. */
export function richArchive({ contents, isExtended }: Pick<RichCap, 'contents' | 'isExtended'>) {
  return zipSync(
    Object.fromEntries(
      componentNames.flatMap((name, index) => {
        const content = contents[name]
        if (!content) return []
        const wide = headOf(name, isExtended) > 3
        const size = wide ? long(content.length) : short(content.length)
        return [
          [
            `example/rich/javacard/${name}.cap${wide ? 'x' : ''}`,
            concat([index + 1, ...size], content),
          ],
        ]
      }),
    ),
    { level: 0 },
  )
}
