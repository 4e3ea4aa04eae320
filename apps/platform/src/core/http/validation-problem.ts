import { ProblemError, type FieldError } from './problem.ts'
import { unreadableName } from './stored-name.ts'

interface SchemaIssue {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string | undefined
}

// A body of ten thousand invalid items reports only the first ones.
const mostErrors = 20

/** Lists the fields of a part that do not match its schema, in plain words. */
export function validationProblem(issues: readonly SchemaIssue[], part: string): ProblemError {
  const errors = clearest(issues)
    .slice(0, mostErrors)
    .map((issue): FieldError => {
      const path = [...issue.instancePath.split('/').slice(1), ...missingOrUnknown(issue.params)]
      return {
        path: path.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.'),
        code: issue.keyword,
        message: sentence(issue.keyword, issue.params, issue.message),
        ...paramsOf(issue.params),
      }
    })
  const first = errors[0]
  const where = first?.path ? `${part}.${first.path}` : part
  return new ProblemError('invalid_request', `${where} ${first?.message ?? 'is not valid'}.`, {
    errors,
  })
}

/** Without the errors that follow from the first branch of a nullable field. */
function clearest(issues: readonly SchemaIssue[]): SchemaIssue[] {
  const options = new Set(
    issues.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath),
  )
  return issues.filter(
    ({ instancePath, keyword, params }) =>
      keyword !== 'anyOf' && !(options.has(instancePath) && params['type'] === 'null'),
  )
}

function missingOrUnknown(params: Record<string, unknown>): string[] {
  const name = params['missingProperty'] ?? params['additionalProperty']
  return typeof name === 'string' ? [name.slice(0, 100)] : []
}

/** The values that a client needs to word the error itself: `{ limit: 30 }`. */
function paramsOf({
  limit,
  format,
  comparison,
}: Record<string, unknown>): Pick<FieldError, 'params'> {
  const params = Object.entries({ limit, format, comparison }).filter(
    (entry): entry is [string, string | number] =>
      typeof entry[1] === 'string' || typeof entry[1] === 'number',
  )
  return params.length > 0 ? { params: Object.fromEntries(params) } : {}
}

function sentence(keyword: string, params: Record<string, unknown>, fallback?: string): string {
  switch (keyword) {
    case 'required':
      return 'is missing'
    case 'additionalProperties':
      return 'is not known here'
    case 'enum':
      return `must be one of: ${(params['allowedValues'] as unknown[]).join(', ')}`
    case 'format':
      if (params['format'] === 'name') return unreadableName
      return `must be a valid ${String(params['format'])}`
    case 'minLength':
      return `must have at least ${String(params['limit'])} character(s)`
    case 'maxLength':
      return `must have at most ${String(params['limit'])} characters`
    default:
      return fallback ?? 'is not valid'
  }
}
