import type { FastifyInstance } from 'fastify'
import { deepestJson, isDeepJson } from '../json-depth.ts'
import { ProblemError } from './problem.ts'

/** Parses JSON as the framework does, and refuses nesting deeper than anything needs. */
export function installJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, body, done) => {
      if (isDeepJson(body)) done(tooDeep())
      else void parse(request, body, done)
    },
  )
}

export const tooDeep = () =>
  new ProblemError(
    'invalid_request',
    `The body is nested too deeply: at most ${deepestJson} levels of arrays and objects.`,
  )
