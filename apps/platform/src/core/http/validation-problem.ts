import { ProblemError, type FieldError } from './problem.ts'

interface SchemaIssue {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string | undefined
}

// A body of ten thousand wrong items is told by its first few.
const mostErrors = 20

/** Says which fields of a part do not fit its schema, in words rather than in schema terms. */
export function validationProblem(issues: readonly SchemaIssue[], part: string): ProblemError {
  const errors = issues.slice(0, mostErrors).map((issue): FieldError => {
    const path = [...issue.instancePath.split('/').slice(1), ...missingOrUnknown(issue.params)]
    return {
      path: path.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.'),
      code: issue.keyword,
      message: sentence(issue.keyword, issue.params, issue.message),
    }
  })
  const first = errors[0]
  const where = first?.path ? `${part}.${first.path}` : part
  return new ProblemError('invalid_request', `${where} ${first?.message ?? 'is not valid'}.`, {
    errors,
  })
}

function missingOrUnknown(params: Record<string, unknown>): string[] {
  const name = params['missingProperty'] ?? params['additionalProperty']
  return typeof name === 'string' ? [name.slice(0, 100)] : []
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
      return `must be a valid ${String(params['format'])}`
    case 'minLength':
      return `must have at least ${String(params['limit'])} character(s)`
    case 'maxLength':
      return `must have at most ${String(params['limit'])} characters`
    default:
      return fallback ?? 'is not valid'
  }
}
