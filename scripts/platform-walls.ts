import type { Walls } from './walls.ts'

const serviceWhy =
  'No service imports another: each can run alone, so it reaches another by a call or an event.'

/** Which part of the platform and of the packages may import which. */
export const platformWalls: Walls = {
  rooms: [
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
      imports: ['services/auth', 'services/cedar', 'services/maple', 'core', 'packages'],
      why: 'The sample workspace is made by the functions of the services, as a person would make it.',
    },
    {
      name: 'keys',
      files: /^apps\/platform\/src\/keys\.ts$/,
      imports: ['services/auth', 'start', 'core', 'packages'],
      why: 'The key commands belong to the authentication service.',
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
