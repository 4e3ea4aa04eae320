import { useValueProblemTexts } from './value-problem-texts.ts'
import { problemsOf, type DeviceValues } from './device-values.ts'
import { labelFieldOf } from './label-values.ts'

/** Maps what the service refuses to fields of the form. */
export const deviceFields = {
  fieldOf: (path: string, sent: DeviceValues) =>
    labelFieldOf(path.replace(/^cplc\.(\d+)$/, 'elements.$1.text'), sent),
  fieldOfCode: { device_id_taken: 'id', transition_refused: 'state' },
}

export function useDeviceCheck() {
  const texts = useValueProblemTexts()
  return (values: DeviceValues) =>
    Object.fromEntries(
      Object.entries(problemsOf(values)).map(([path, problem]) => [path, texts[problem]]),
    )
}
