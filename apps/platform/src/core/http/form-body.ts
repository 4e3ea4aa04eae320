import type { FastifyInstance } from 'fastify'
import { invalidField } from './problem.ts'

export const formType = 'application/x-www-form-urlencoded'

/** Parses a form into an object of strings; repeated fields are refused. */
export function installFormBody(app: FastifyInstance): void {
  app.addContentTypeParser(
    formType,
    { parseAs: 'string' },
    async (_request: unknown, body: string) => {
      const fields = [...new URLSearchParams(body)]
      const names = new Set<string>()
      for (const [name] of fields) {
        if (names.has(name)) throw invalidField(name, 'duplicate', `${name} is given twice.`)
        names.add(name)
      }
      return Object.fromEntries(fields)
    },
  )
}
