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

/** Where the work that runs now is in a trace, as W3C Trace Context writes it; null outside of one. */
export function traceparent(): string | null {
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent ?? null
}

/** What `traceparent` of another process says; the start of a trace where it says nothing. */
export const contextOf = (header: string | null | undefined): Context =>
  header ? propagation.extract(ROOT_CONTEXT, { traceparent: header }) : ROOT_CONTEXT

interface SpanOptions {
  kind?: SpanKind
  attributes?: Attributes
  /** By default what runs now. */
  parent?: Context
}

/** A span that the caller ends, and the context of what runs in it. */
export function startSpan(name: string, { parent = context.active(), ...options }: SpanOptions) {
  const span = tracer.startSpan(name, options, parent)
  return { span, inside: trace.setSpan(parent, span) }
}

/** Does the work in a span, which says whether it failed. */
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

/** Says of what kind the error is; its message may repeat somebody's input. */
function markFailed(span: Span, error: unknown): void {
  const { name, code = name }: NodeJS.ErrnoException =
    error instanceof Error ? error : new Error(String(error))
  span.setAttribute('error.type', code)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

export { SpanKind }
