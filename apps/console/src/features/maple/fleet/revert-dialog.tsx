import type { DeviceBulk, RevertPreview } from '@grove/contract/maple/fleet/device-bulk'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { problemText } from '../../../api/problem-text.ts'
import { invalidate } from '../../../api/query-client.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Link } from '../../../ui/link/link.tsx'
import { useDeviceWords } from './device-words.ts'
import { useDevicesPage } from './devices-page.ts'
import styles from './revert-dialog.module.css'

interface RevertDialogProps<Key extends QueryKey> {
  title: string
  /** What it does, in a sentence. */
  text: string
  /** Whether it undoes an import, which created devices. */
  ofImport?: boolean
  /** What happens to devices that have changed since, if they are not skipped. */
  overwriteText: string
  preview: UseQueryOptions<RevertPreview, Error, RevertPreview, Key>
  start: (overwrites: boolean) => Promise<DeviceBulk>
  onClose: () => void
}

interface Values {
  since: 'leave' | 'overwrite'
}

/** A preview of a revert, and its start; its own page then shows the progress. */
export function RevertDialog<Key extends QueryKey>(props: RevertDialogProps<Key>) {
  const { title, text, ofImport = false, overwriteText, preview, start, onClose } = props
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const { data, error } = useQuery({ ...preview, staleTime: 0, gcTime: 0, retry: false })
  const countOf = ({ since }: Values) =>
    data === undefined ? 0 : data.changed + (since === 'overwrite' ? data.since : 0)
  const form = useForm<Values, DeviceBulk>({
    values: { since: 'leave' },
    submit: ({ since }) => start(since === 'overwrite'),
    onSaved: (revert) => {
      // Devices change from here on, and a reverted change names what reverted it.
      void invalidate('maple', '/api/maple/device')
      onClose()
      void navigate({ to: '/dashboard/maple/changes', search: { change: revert.id } })
    },
    isBlocked: data === undefined,
    isOnce: true,
  })
  const { values } = form
  const choices: Record<Values['since'], string> = {
    leave: t`Leave them as they are now`,
    overwrite: overwriteText,
  }
  const count = countOf(values)
  return (
    <FormDialog
      title={title}
      form={form}
      submitLabel={
        count > 0
          ? t`${plural(count, { one: 'Revert # device', other: 'Revert # devices' })}`
          : t`Revert`
      }
      onClose={onClose}
    >
      <p>{text}</p>
      <div aria-live="polite" className={styles.preview}>
        {error ? (
          problemText(error, i18n)
        ) : data === undefined ? (
          <p className="muted">
            <Trans>Comparing the devices with how the change left them…</Trans>
          </p>
        ) : (
          <Counts preview={data} ofImport={ofImport} />
        )}
      </div>
      {data !== undefined && data.since > 0 && (
        <>
          <Since preview={data} />
          <fieldset className="choice">
            <legend>
              <Trans>Devices changed since</Trans>
            </legend>
            {(Object.keys(choices) as Values['since'][]).map((choice) => (
              <label key={choice}>
                <input
                  type="radio"
                  name="since"
                  checked={values.since === choice}
                  onChange={() => form.set({ since: choice })}
                />
                <span>{choices[choice]}</span>
              </label>
            ))}
          </fieldset>
        </>
      )}
    </FormDialog>
  )
}

function Counts({
  preview: { changed, unchanged, since, gone },
  ofImport,
}: {
  preview: RevertPreview
  ofImport: boolean
}) {
  return (
    <ul className={styles.counts}>
      <li>
        <strong>
          {ofImport ? (
            <Plural
              value={changed}
              one="# device is deleted or gets its former values"
              other="# devices are deleted or get their former values"
            />
          ) : (
            <Plural
              value={changed}
              one="# device gets its former values"
              other="# devices get their former values"
            />
          )}
        </strong>
      </li>
      {since > 0 && (
        <li>
          <Plural value={since} one="# was changed since" other="# were changed since" />
        </li>
      )}
      {unchanged > 0 && (
        <li className="muted">
          <Plural
            value={unchanged}
            one="# has its former values already"
            other="# have their former values already"
          />
        </li>
      )}
      {gone > 0 && (
        <li className="muted">
          <Plural
            value={gone}
            one="# was deleted or moved to another service provider"
            other="# were deleted or moved to another service provider"
          />
        </li>
      )}
    </ul>
  )
}

function Since({ preview: { items, since } }: { preview: RevertPreview }) {
  const { t } = useLingui()
  const devicesPage = useDevicesPage()
  const fieldText = useFieldTexts()
  return (
    <ul className={styles.since} aria-label={t`Devices changed since`}>
      {items.map(({ id, name, changes }) => (
        <li key={id}>
          <Link to={devicesPage} search={{ device: id }} target="_blank" preload={false}>
            <bdi>{name}</bdi>
          </Link>
          <span className="muted">{changes.map((change) => fieldText(change)).join(' · ')}</span>
        </li>
      ))}
      {since > items.length && (
        <li className="muted">
          <Plural value={since - items.length} one="and # more" other="and # more" />
        </li>
      )}
    </ul>
  )
}

type Change = RevertPreview['items'][number]['changes'][number]

function useFieldTexts() {
  const { t } = useLingui()
  const { state, type } = useDeviceWords()
  const values: Record<string, string> = { ...state, ...type }
  const fields: Record<string, string> = {
    name: t`Name`,
    type: t`Type`,
    state: t`State`,
    innerId: t`Inner ID`,
    serviceId: t`Service provider`,
    productId: t`Product`,
  }
  const words: Record<string, string> = {
    used: t`in use since`,
    edited: t`edited since`,
    tags: t({ message: 'Tag', context: 'of a device' }),
    attributes: t`Attribute`,
    elements: t`Element`,
  }
  return ({ field, left, now }: Change): string => {
    const at = field.indexOf('.')
    if (at === -1 && field in words) return words[field] ?? field
    const isWord = field === 'state' || field === 'type'
    const shown = (value: unknown) =>
      (isWord ? values[valueText(value)] : undefined) ?? valueText(value)
    if (at === -1) return `${fields[field] ?? field}: ${shown(left)} → ${shown(now)}`
    const name = `${words[field.slice(0, at)] ?? ''} ${field.slice(at + 1)}`
    // A tag or an element is either present or not.
    return field.startsWith('attributes.')
      ? `${name}: ${valueText(left)} → ${valueText(now)}`
      : name
  }
}

function valueText(value: unknown): string {
  if (value === null) return '–'
  const shown = typeof value === 'object' && 'value' in value ? value.value : value
  return typeof shown === 'string' ? shown : JSON.stringify(shown)
}
