import { mapleAreas } from './platform-walls.ts'
import type { Room, Walls } from './walls.ts'

const src = 'apps/console/src'
const room = (path: string) => new RegExp(`^${src}/${path}/`)
const serverWhy = 'The console imports no server: it may run against another one.'

const below = ['people', 'session', 'ui', 'kit', 'api', 'packages', 'rules', 'type:contract']

/** Areas with pages of their own; everything else in an area is shared by several of them. */
const mapleResources =
  /^(account|api-key|approval|service|device|device-import|device-bulk|element|reader|session|software-card|applet|script|template|cloud-handler|device-handler|product|binary-image|device-session|device-page)$/

/** An area of Maple, and its resources, which import what is shared in it and below it. */
function roomsOfArea(area: string, at: number): Room[] {
  const shared = mapleAreas.slice(0, at + 1).map((each) => `maple/${each}`)
  const folder = `^${src}/features/maple/${area}/`
  const why = `A feature imports no other, and the area ${area} of Maple none above it: share a part of the area or of ui, or compose both in a route.`
  const isResource = String.raw`(?=([^/]+)/)(?:${mapleResources.source.slice(1, -1)})/`
  return [
    {
      name: `maple/${area}/$1`,
      files: new RegExp(folder + isResource),
      // The page of a device shows everything that the list of devices shows, and more.
      imports: [...shared, ...(area === 'connect' ? ['maple/fleet/device'] : []), ...below],
      why,
    },
    { name: `maple/${area}`, files: new RegExp(folder), imports: [...shared, ...below], why },
  ]
}

/** Which part of the console may import which. */
export const consoleWalls: Walls = {
  rooms: [
    { name: 'platform', files: /^apps\/platform\//, imports: [], why: '' },
    {
      name: 'rules',
      files:
        /^packages\/contract\/src\/.*\.rules\.ts$|^packages\/contract\/src\/problem-codes\.ts$/,
      imports: [],
      why: '',
    },
    { name: 'contract', files: /^packages\/contract\//, imports: [], why: '' },
    { name: 'packages', files: /^packages\//, imports: [], why: '' },
    {
      name: 'app',
      files:
        /^apps\/console\/src\/(app|routes)\/|^apps\/console\/src\/(main|routeTree\.gen)\.tsx?$/,
      imports: [],
      why: '',
    },
    {
      name: 'kit',
      files: room('ui/kit'),
      imports: ['ui', 'api', 'packages', 'rules', 'type:contract'],
      why: 'The kit is built on ui alone: every page may use it.',
    },
    {
      name: 'ui',
      files: room('ui'),
      imports: ['kit', 'api', 'packages', 'rules', 'type:contract'],
      why: 'ui knows neither the session nor a feature: every page may use it.',
    },
    {
      name: 'api',
      files: room('api'),
      imports: ['packages', 'rules', 'type:contract'],
      why: 'api is pure: it gets its fetch and its addresses as arguments.',
    },
    {
      name: 'session',
      files: room('session'),
      imports: ['ui', 'api', 'packages', 'rules', 'type:contract'],
      why: 'The session stands below every page and imports none.',
    },
    {
      name: 'people',
      files: room('people'),
      imports: ['session', 'ui', 'kit', 'api', 'packages', 'rules', 'type:contract'],
      why: 'Who somebody is: every page may say it, so it imports none.',
    },
    {
      name: 'shell',
      files: room('shell'),
      imports: below,
      why: 'The shell frames every page and imports no feature.',
    },
    ...mapleAreas.flatMap(roomsOfArea),
    {
      name: 'maple/overview',
      files: room('features/maple'),
      imports: [...mapleAreas.map((area) => `maple/${area}`), ...below],
      why: 'The overview imports what areas share, and no resource.',
    },
    {
      name: 'features/$1/parts',
      files: /^apps\/console\/src\/features\/(auth|cedar|system)\/parts\//,
      imports: below,
      why: 'Parts that the resources of a service share import none of them.',
    },
    {
      name: 'features/$1/$2',
      files: /^apps\/console\/src\/features\/(auth|cedar|system)\/([^/]+)\//,
      imports: ['features/$1/parts', ...below],
      why: 'A feature imports no other: share a part of the service or of ui, or compose both in a route.',
    },
    {
      name: 'features/$1',
      files: /^apps\/console\/src\/features\/([^/]+)\//,
      imports: below,
      why: 'A feature imports no other: share a part of ui, or compose both in a route.',
    },
  ],
  guarded: [
    {
      name: /^(react-aria|react-aria-components|react-stately|@react-aria\/.*|@internationalized\/.*)$/,
      room: 'kit',
      why: 'React Aria is used through ui/kit alone, which loads it lazily.',
    },
  ],
}

/** Routes, app and main compose the rest; they too import no server and no schema. */
export const consoleEntryWalls: Walls = {
  rooms: [
    ...consoleWalls.rooms.slice(0, 4),
    {
      name: 'console',
      files: new RegExp(`^${src}/`),
      imports: ['packages', 'rules', 'type:contract'],
      why: `${serverWhy} It imports the contract as types only: schemas must not reach the bundle.`,
    },
  ],
  guarded: [],
}
