import type { Room, Walls } from './walls.ts'

const serviceWhy =
  'No service imports another: each can run alone, so it reaches another by a call or an event.'

/** From the lowest: an area may import those before it. */
export const mapleAreas = [
  'base',
  'access',
  'fleet',
  'card',
  'program',
  'connect',
  'rollout',
] as const

const routesWhy =
  'Routes import functions alone, where the rules and the ownership check live, and none of an area above.'

const mapleFolder = 'apps/platform/src/services/maple'

/** Each area of Maple is a separate room. */
function roomsOfArea(area: string, at: number): Room[] {
  const below = mapleAreas.slice(0, at + 1)
  const services = below.map((each) => `maple/${each}`)
  const queries = below.map((each) => `maple/${each}/queries`)
  const why = `The area ${area} of Maple imports its own files and those of ${below.slice(0, -1).join(', ') || 'no area'}: what is above it, such as a hub or a runner, it is given.`
  const folder = `^${mapleFolder}/${area}/`
  const room = (name: string, files: string, imports: string[], reason = why): Room => ({
    name: `maple/${area}${name}`,
    files: new RegExp(folder + files),
    imports: [...imports, 'core', 'packages'],
    why: reason,
  })
  return [
    room('/routes', String.raw`.*\.routes\.ts$`, services, routesWhy),
    room('/queries', String.raw`.*\.queries\.ts$`, [...services, ...queries]),
    room('', '', [...services, ...queries]),
  ]
}

/** Where all areas meet. */
const mapleTop: Room = {
  name: 'services/maple',
  files: new RegExp(`^${mapleFolder}/`),
  imports: [
    ...mapleAreas.flatMap((area) => [
      `maple/${area}`,
      `maple/${area}/routes`,
      `maple/${area}/queries`,
    ]),
    'core',
    'packages',
  ],
  why: serviceWhy,
}

/** Which part of the platform and of the packages may import which. */
export const platformWalls: Walls = {
  rooms: [
    ...mapleAreas.flatMap(roomsOfArea),
    mapleTop,
    {
      name: 'services/$1/routes',
      files: /^apps\/platform\/src\/services\/([^/]+)\/.*\.routes\.ts$/,
      imports: ['services/$1', 'core', 'packages'],
      why: `Routes import their service's functions alone, where the rules and the ownership check live.`,
    },
    {
      name: 'services/$1/queries',
      files: /^apps\/platform\/src\/services\/([^/]+)\/.*\.queries\.ts$/,
      imports: ['services/$1', 'core', 'packages'],
      why: serviceWhy,
    },
    {
      name: 'services/$1',
      files: /^apps\/platform\/src\/services\/([^/]+)\//,
      imports: ['services/$1/routes', 'services/$1/queries', 'core', 'packages'],
      why: serviceWhy,
    },
    {
      name: 'core',
      files: /^apps\/platform\/src\/core\//,
      imports: ['packages'],
      why: 'core imports no service: services are built on it, and each can run without the others.',
    },
    {
      name: 'sample',
      files: /^apps\/platform\/src\/sample\//,
      imports: [
        'services/auth',
        'services/cedar',
        'services/maple',
        ...mapleAreas.map((area) => `maple/${area}`),
        'core',
        'packages',
      ],
      why: 'The sample workspace is made by the functions of the services, as a person would make it.',
    },
    {
      name: 'commands',
      files: /^apps\/platform\/src\/(accounts|keys|vault)\.ts$/,
      imports: [
        'services/auth',
        ...['base', 'access', 'card'].map((area) => `maple/${area}`),
        'start',
        'core',
        'packages',
      ],
      why: 'A command of the operator works with the functions of accounts and keys alone.',
    },
    {
      name: 'start',
      files: /^apps\/platform\/src\/[^/]+\.ts$/,
      imports: [
        'services/auth',
        'services/cedar',
        'services/maple',
        'services/console',
        'services/dev',
        'sample',
        'core',
        'packages',
      ],
      why: 'The start puts services together and goes no deeper.',
    },
    {
      name: 'console',
      files: /^apps\/console\//,
      imports: [],
      why: '',
    },
    {
      name: 'packages',
      files: /^packages\//,
      imports: [],
      why: 'A package imports no app: others install it without ours.',
    },
  ],
  guarded: [],
}
