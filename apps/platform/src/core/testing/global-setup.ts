import type { TestProject } from 'vitest/node'
import { bundlePrograms } from './bundle-programs.ts'
import { programsVariable } from './program-bundle.ts'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** The programs that tests start, and one PostgreSQL in which each test file has its own database. */
export default async function globalSetup(project: TestProject) {
  const programs = await programsOfRun()
  project.config.env[programsVariable] = programs.folder
  if (project.config.env['GROVE_TEST_ENGINE'] !== 'postgres') return programs.remove
  const server = await startPostgres()
  console.log(`${project.name}: ${server.description}`)
  project.provide('postgresUrl', server.url)
  return async () => {
    await server.stop()
    await programs.remove()
  }
}

/** All projects of a run share the bundles of the first, which removes them at the end. */
async function programsOfRun() {
  const folder = process.env[programsVariable]
  if (folder !== undefined) return { folder, remove: async () => {} }
  const programs = await bundlePrograms()
  process.env[programsVariable] = programs.folder
  return programs
}
