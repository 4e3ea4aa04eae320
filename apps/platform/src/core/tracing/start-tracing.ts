import { setTimeout as wait } from 'node:timers/promises'
import { diag, DiagLogLevel } from '@opentelemetry/api'
import { readChoice, readText, type Environment } from '../environment.ts'

/** Whether the variables of OpenTelemetry's SDK, which it reads itself, say where to send spans. */
export const isTracing = (env: Environment): boolean =>
  (readText(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') ??
    readText(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')) !== undefined &&
  readChoice(env, 'OTEL_SDK_DISABLED', ['false', 'true'], 'false') === 'false'

const complaintMs = 60_000
/** A stop waits at most this long for an unreachable collector. */
const lastMs = 2000

/**
 * Sends spans in batches to the collector named by the standard variables; without one it does
 * nothing. Returns a function that sends the last spans and stops.
 */
export async function startTracing(
  env: Environment,
  warn: (fields: object, message: string) => void,
): Promise<() => Promise<void>> {
  if (!isTracing(env)) return async () => {}
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ])
  let complainedAt = -Infinity
  const complain = (reason: string) => {
    // An unreachable collector fails every batch.
    if (performance.now() - complainedAt < complaintMs) return
    complainedAt = performance.now()
    warn({ reason: reason.slice(0, 500) }, 'Traces were not sent')
  }
  const silent = () => {}
  diag.setLogger(
    { error: complain, warn: complain, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const { detectResources, envDetector, resourceFromAttributes } = resources
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'grove' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  return () =>
    Promise.race([
      provider.shutdown().catch((error: Error) => complain(error.message)),
      wait(lastMs, undefined, { ref: false }),
    ])
}
