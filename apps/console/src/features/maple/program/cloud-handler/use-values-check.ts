import { handlerLimits } from '@grove/contract/maple/program/handler.rules'
import { useLingui } from '@lingui/react/macro'
import type { FieldTexts } from '../../../../ui/form/form-values.ts'
import { isLimit, limitNames, readMatch, wrongHost, type HandlerValues } from './handler-values.ts'

/** The errors in a handler's form. */
export function useValuesCheck() {
  const { t } = useLingui()
  return (values: HandlerValues): FieldTexts => {
    const { type, events, match, cron, zone, hosts } = values
    const host = wrongHost(hosts)
    const limits = limitNames
      .filter((name) => !isLimit(name, values[name]))
      .map((name) => {
        const { least, most } = handlerLimits[name]
        return [name, t`Enter a number from ${least} to ${most}.`]
      })
    return {
      ...Object.fromEntries(limits),
      ...(host !== undefined && {
        hosts: t`“${host}” is not a host name, such as api.example.com.`,
      }),
      ...(type === 'event' && events.length === 0 && { events: t`Choose at least one event.` }),
      ...(type === 'event' &&
        readMatch(match).includes(undefined) && {
          match: t`Write a field, = and a value on each line.`,
        }),
      ...(type === 'schedule' &&
        cron.trim().split(/\s+/).length !== 5 && {
          cron: t`Enter five fields, such as 0 6 * * *.`,
        }),
      ...(type === 'schedule' && zone.trim() === '' && { zone: t`Enter a time zone.` }),
    }
  }
}

/** Maps the service's errors about the draft to fields of the form. */
export const fieldOf = (path: string): string =>
  path.startsWith('trigger.') || path.startsWith('limits.') ? (path.split('.')[1] ?? path) : path
