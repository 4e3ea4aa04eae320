import { setTimeout as wait } from 'node:timers/promises'
import { diag, DiagLogLevel } from '@opentelemetry/api'
import { readChoice, readText, type Environment } from '../environment.ts'

/** Whether the variables of OpenTelemetry's SDK, which reads them itself, say where spans go. */
export const isTracing = (env: Environment): boolean =>
  (readText(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') ??
    readText(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')) !== undefined &&
  readChoice(env, 'OTEL_SDK_DISABLED', ['false', 'true'], 'false') === 'false'

const complaintMs = 60_000
/** A stop waits no longer for a collector that is away. */
const lastMs = 2000

/**
 * Sends spans to the collector that the standard variables name, in batches; without one it does
 * nothing. Returns what sends the last spans and stops.
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
    // A collector that is away fails each batch.
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
