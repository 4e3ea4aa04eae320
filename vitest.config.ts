import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/test-order.ts'
import {
  embeddedAlone,
  isShort,
  onBothInShort,
  onlyInAll,
  patternOf,
  withoutDatabase,
} from './scripts/test-matrix.ts'

// The custom condition reaches the source of our own packages, so tests need no build.
const resolve = { conditions: ['source', 'import', 'module', 'default'] }
const ssr = { resolve: { conditions: ['source', 'node'] } }

// Test files of a worker share their modules: to import the platform takes longer than most of its
// tests. None of them leaves a fake clock or a replaced global behind.
const project = (name: string, include: string[], extra: Record<string, unknown> = {}) => ({
  resolve,
  ssr,
  test: { name, include, environment: 'node', isolate: false, ...extra },
})

const platform = (
  name: string,
  engine: 'pglite' | 'postgres',
  include: string[],
  extra: Record<string, unknown>,
) =>
  project(name, include, {
    env: { GROVE_TEST_ENGINE: engine },
    globalSetup: ['apps/platform/src/core/testing/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...extra,
  })

const everyFile = ['apps/platform/src/**/*.test.ts']
const leftOut = isShort ? onlyInAll : []
const notOnBoth = [...[...withoutDatabase, ...embeddedAlone].map(patternOf), ...leftOut]

export default defineConfig({
  test: {
    // Much of it waits for databases, processes and timers: one worker more than cores keeps them busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('auth-client', ['packages/auth-client/{src,test}/**/*.test.{ts,tsx}'], {
        exclude: leftOut,
        // They replace globals of the browser.
        isolate: true,
      }),
      project('cli', ['packages/cli/src/**/*.test.ts']),
      project('device', ['packages/device-*/src/**/*.test.ts']),
      project('contract', ['packages/contract/src/**/*.test.ts']),
      project('reader', ['packages/reader/src/**/*.test.ts']),
      project('secure-element', ['packages/secure-element/src/**/*.test.ts']),
      project('platform alone', withoutDatabase.map(patternOf), { testTimeout: 30_000 }),
      // They measure memory, and end threads and processes.
      platform('embedded database', 'pglite', embeddedAlone.map(patternOf), { isolate: true }),
      platform('platform on pglite', 'pglite', isShort ? onBothInShort.map(patternOf) : everyFile, {
        exclude: notOnBoth,
      }),
      platform('platform on postgres', 'postgres', everyFile, { exclude: notOnBoth }),
      'apps/console/vitest.config.ts',
      project('house', ['scripts/**/*.test.ts', 'deploy/**/*.test.ts'], {
        exclude: leftOut,
      }),
    ],
  },
})
