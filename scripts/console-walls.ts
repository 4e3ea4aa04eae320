import type { Walls } from './walls.ts'

const src = 'apps/console/src'
const room = (path: string) => new RegExp(`^${src}/${path}/`)
const serverWhy = 'The console imports no server: it may run against another one.'

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
      name: 'shell',
      files: room('shell'),
      imports: ['session', 'ui', 'kit', 'api', 'packages', 'rules', 'type:contract'],
      why: 'The shell frames every page and imports no feature.',
    },
    {
      name: 'features/$1/parts',
      files: /^apps\/console\/src\/features\/(auth|cedar|maple|system)\/parts\//,
      imports: ['session', 'ui', 'kit', 'api', 'packages', 'rules', 'type:contract'],
      why: 'Parts that the resources of a service share import none of them.',
    },
    {
      name: 'features/$1/$2',
      files: /^apps\/console\/src\/features\/(auth|cedar|maple|system)\/([^/]+)\//,
      imports: [
        'features/$1/parts',
        'session',
        'ui',
        'kit',
        'api',
        'packages',
        'rules',
        'type:contract',
      ],
      why: 'A feature imports no other: share a part of the service or of ui, or compose both in a route.',
    },
    {
      name: 'features/$1',
      files: /^apps\/console\/src\/features\/([^/]+)\//,
      imports: ['session', 'ui', 'kit', 'api', 'packages', 'rules', 'type:contract'],
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
