import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** One PostgreSQL for a run of the project that needs it; each test file has its own database. */
export default async function globalSetup(project: TestProject) {
  if (project.config.env['GROVE_TEST_ENGINE'] !== 'postgres') return
  const server = await startPostgres()
  console.log(`${project.name}: ${server.description}`)
  project.provide('postgresUrl', server.url)
  return server.stop
}
