import type { FastifyInstance } from 'fastify'
import { invalidField } from './problem.ts'

export const formType = 'application/x-www-form-urlencoded'

/** Reads a form into an object of texts; a field that comes twice is refused. */
export function installFormBody(app: FastifyInstance): void {
  app.addContentTypeParser(
    formType,
    { parseAs: 'string' },
    async (_request: unknown, body: string) => {
      const fields = [...new URLSearchParams(body)]
      const form = Object.fromEntries(fields)
      const twice = fields.find(([name, value]) => form[name] !== value)?.[0]
      if (twice !== undefined) throw invalidField(twice, 'duplicate', `${twice} is given twice.`)
      return form
    },
  )
}
