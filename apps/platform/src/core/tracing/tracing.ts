import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api'

const tracer = trace.getTracer('grove')

/**
 * The trace position of the running work, in the format of W3C Trace Context; null outside a trace.
 */
export function traceparent(): string | null {
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent ?? null
}

/** The context from another process's `traceparent`; a new trace without one. */
export const contextOf = (header: string | null | undefined): Context =>
  header ? propagation.extract(ROOT_CONTEXT, { traceparent: header }) : ROOT_CONTEXT

interface SpanOptions {
  kind?: SpanKind
  attributes?: Attributes
  /** Default: the running work's. */
  parent?: Context
}

/** Starts a span that the caller ends, and the context for the work in it. */
export function startSpan(name: string, { parent = context.active(), ...options }: SpanOptions) {
  const span = tracer.startSpan(name, options, parent)
  return { span, inside: trace.setSpan(parent, span) }
}

/** Does the work in a span, which records a failure. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { span, inside } = startSpan(name, options)
  try {
    return await context.with(inside, work)
  } catch (error) {
    markFailed(span, error)
    throw error
  } finally {
    span.end()
  }
}

/** Records only the kind of error, since its message may repeat someone's input. */
function markFailed(span: Span, error: unknown): void {
  const { name, code = name }: NodeJS.ErrnoException =
    error instanceof Error ? error : new Error(String(error))
  span.setAttribute('error.type', code)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

export { SpanKind }
