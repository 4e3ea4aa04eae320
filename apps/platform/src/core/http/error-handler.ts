import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable, isDiskFull } from '../database/unavailable.ts'
import { DamagedObjectError, ObjectsUnavailableError } from '../objects/object-store.ts'
import { BadCursorError } from '../database/keyset.ts'
import { ProblemError, type ProblemCode } from './problem.ts'
import { installRefusalPace } from './refusal-pace.ts'
import { validationProblem } from './validation-problem.ts'

/** Unique and check constraints by name, with the code and sentence for people. */
export type ConstraintTable = Record<string, readonly [code: ProblemCode, detail: string]>

/** Turns every error into problem details; unknown errors are masked and logged. */
export function installErrorHandler(
  app: FastifyInstance,
  constraints: ConstraintTable,
  /** Appended to the message for an unknown path. */
  reason = '',
): void {
  const waitToRefuse = installRefusalPace(app)
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const problem = toProblemError(error, constraints)
    // A full disk or a lost database fails every call in the same way: one line is enough.
    if (problem.status === 503) request.log.warn({ code: problem.code, reason: error.message })
    else if (problem.status >= 500) request.log.error({ err: withoutRow(error) }, problem.message)
    await waitToRefuse(problem.code, request.ip)
    return sendProblem(problem, request, reply)
  })
  app.setNotFoundHandler((request, reply) =>
    sendProblem(
      new ProblemError(
        'not_found',
        `There is nothing at ${request.method} ${request.url.split('?')[0]}.${reason}`,
      ),
      request,
      reply,
    ),
  )
}

/** PostgreSQL repeats the rejected row, which may hold an email address or a hash. */
export function withoutRow<E extends Error>(error: E): E {
  for (const name of ['detail', 'where'])
    if (name in error) Object.defineProperty(error, name, { enumerable: false })
  return error
}

export function sendProblem(problem: ProblemError, request: FastifyRequest, reply: FastifyReply) {
  const { securityCounter, api } = request.server
  securityCounter.count(problem.code, api?.name, request.ip)
  if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter))
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(problem.toProblem(request.id)))
}

export function toProblemError(error: FastifyError, constraints: ConstraintTable): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof BadCursorError)
    return new ProblemError(
      'bad_cursor',
      'The cursor is not one of this list; start from the first page.',
    )
  if (error.validation)
    return validationProblem(error.validation, error.validationContext ?? 'body')
  const framework = frameworkProblems[error.code]
  if (framework) return new ProblemError(framework[0], framework[1], { cause: error })
  const constraint = 'constraint' in error ? constraints[String(error.constraint)] : undefined
  if (constraint) return new ProblemError(constraint[0], constraint[1], { cause: error })
  if (error instanceof DamagedObjectError)
    return new ProblemError(
      'file_damaged',
      `The stored file ${error.sha256} is damaged. An administrator can put it back from a backup.`,
      { cause: error },
    )
  if (isBrokenOff(error))
    return new ProblemError(
      'invalid_request',
      'The form is malformed or incomplete. Send it again.',
      {
        cause: error,
      },
    )
  if (isDiskFull(error))
    return new ProblemError(
      'storage_full',
      'The disk is full; nothing was saved. Try again later.',
      {
        retryAfter: 30,
        cause: error,
      },
    )
  if (error instanceof ObjectsUnavailableError)
    return new ProblemError(
      'storage_unavailable',
      'The storage of packages and images is not responding. Try again shortly.',
      { retryAfter: 5, cause: error },
    )
  if (isDatabaseUnavailable(error))
    return new ProblemError(
      'database_unavailable',
      'The database is not responding. Try again shortly.',
      {
        retryAfter: 5,
        cause: error,
      },
    )
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new ProblemError('invalid_request', 'The request could not be read.', { cause: error })
  return new ProblemError(
    'internal_error',
    'Something went wrong on our side; it has been recorded.',
    {
      cause: error,
    },
  )
}

/** The body's sender left: Node's `aborted` has the code of a lost connection. */
const isBrokenOff = ({ message, code }: FastifyError): boolean =>
  brokenForm.test(message) ||
  code === 'ERR_STREAM_PREMATURE_CLOSE' ||
  (code === 'ECONNRESET' && message === 'aborted')

// The multipart parser's errors have no code.
const brokenForm =
  /^(Multipart: Boundary not found|The needle cannot .*|.*nexpected end of multipart data)$/

const frameworkProblems: Record<string, readonly [ProblemCode, string]> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_json', 'The body is not valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_json', 'The body is empty; it must be JSON.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than this call accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as application/json, or as multipart/form-data where a file is uploaded.',
  ],
  FST_INVALID_MULTIPART_CONTENT_TYPE: [
    'unsupported_media_type',
    'Send the file as multipart/form-data.',
  ],
  FST_ERR_BAD_URL: ['invalid_request', 'The URL contains a malformed escape.'],
  FST_REQ_FILE_TOO_LARGE: ['file_too_large', 'The file is larger than this call accepts.'],
}
