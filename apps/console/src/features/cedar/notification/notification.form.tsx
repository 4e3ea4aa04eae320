import type { Audience, Notification } from '@grove/contract'
import {
  devicePlatforms,
  isAppVersion,
  normaliseBody,
  notificationLimits,
  productLink,
  textBytes,
  type DevicePlatform,
} from '@grove/contract/cedar/notification.rules'
import { locales, type LocaleCode } from '@grove/contract/locale.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useState, type SyntheticEvent } from 'react'
import { problemText } from '../../../api/problem-text.ts'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { Field } from '../../../ui/field/field.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useForm, type Form } from '../../../ui/form/use-form.ts'
import { fromLocalTime } from '../../../ui/i18n/local-time.ts'
import { currentLocale, localeNames } from '../../../ui/i18n/locale.ts'
import type { NewItem } from '../../../ui/panel/create-item.tsx'
import { SidePanel } from '../../../ui/panel/side-panel.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { CountedField } from '../parts/counted-field.tsx'
import { titleIn } from '../parts/titles.ts'
import { productChoices, refreshNotifications } from './notification.api.ts'
import { platformNames, useNotificationWords } from './notification.labels.tsx'
import styles from './notification.module.css'
import { NotificationPreview } from './notification-preview.tsx'

type TextName = `${LocaleCode}.${'title' | 'body'}`

interface Values {
  productId: string
  texts: Record<TextName, string>
  platforms: readonly DevicePlatform[]
  locales: readonly LocaleCode[]
  minAppVersion: string
  maxAppVersion: string
  who: 'all' | 'test'
  opens: 'app' | 'link' | 'address'
  link: string
  when: 'now' | 'later'
  sendAt: string
  expiry: 'none' | 'hour' | 'day' | 'week'
}

const empty: Values = {
  productId: '',
  texts: { 'en-US.title': '', 'en-US.body': '', 'ru-RU.title': '', 'ru-RU.body': '' },
  platforms: [],
  locales: [],
  minAppVersion: '',
  maxAppVersion: '',
  who: 'all',
  opens: 'app',
  link: '',
  when: 'now',
  sendAt: '',
  expiry: 'none',
}

const expirySeconds = { none: null, hour: 3600, day: 86_400, week: 7 * 86_400 } as const
const fieldNames = ['title', 'body'] as const

/** Texts, audience and time of a notification. It is sent once the reader has seen how many it reaches. */
export function ComposeNotification({ onCreated, onClose }: NewItem) {
  const { t, i18n } = useLingui()
  // One form is one notification, however often it is sent.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { data: products } = useQuery(productChoices)
  const apps = products?.items ?? []
  const only = apps.length === 1 ? apps[0]?.productId : undefined
  const productOf = (values: Values) => values.productId || only || ''
  const form = useForm<Values, Notification>({
    values: empty,
    check: (values) => checkOf(values, productOf(values)),
    fieldOf: (path, sent) => fieldOfPath(path, sent),
    submit: (values) =>
      api.cedar.post('/api/notification', {
        body: { ...bodyOf(values, productOf(values)), idempotencyKey },
      }),
    onSaved: (notification) => {
      void refreshNotifications(notification)
      notify({
        text: notification.isScheduled
          ? t`The notification is scheduled.`
          : t`The notification is on its way.`,
      })
      onCreated(notification.id)
    },
    isOnce: true,
  })
  const { values } = form
  const productId = productOf(values)
  const estimate = useQuery({
    ...estimateQuery(values, productId),
    enabled: productId !== '' && hasVersions(values),
    placeholderData: keepPreviousData,
  })
  const product = apps.find((each) => each.productId === productId)

  function checkOf(given: Values, app: string) {
    const errors: Record<string, string | undefined> = {
      productId: app === '' ? t`Choose an app.` : undefined,
      link:
        given.opens === 'address' && !isHttps(given.link)
          ? t`Enter an address that starts with https://.`
          : undefined,
      sendAt:
        given.when === 'later' && !isToCome(given.sendAt)
          ? t`Choose a time that is still to come.`
          : undefined,
      minAppVersion: versionProblem(given.minAppVersion),
      maxAppVersion: versionProblem(given.maxAppVersion),
    }
    const written = textsOf(given)
    if (written.length === 0) errors['texts.en-US.title'] = t`Write a title.`
    for (const { localeCode, title, body } of written) {
      if (title.trim() === '') errors[`texts.${localeCode}.title`] = t`Write a title.`
      if (normaliseBody(body) === '') errors[`texts.${localeCode}.body`] = t`Write a text.`
    }
    if (largestOf(given) > notificationLimits.payloadBytes)
      errors['texts.en-US.body'] ??= t`The message is too large. Shorten its text.`
    return errors
  }
  function versionProblem(version: string) {
    return version.trim() === '' || isAppVersion(version.trim())
      ? undefined
      : t`Write numbers, such as 1.10.2.`
  }

  const count = async () => {
    const answer = await queryClient.fetchQuery({
      ...estimateQuery(values, productId),
      staleTime: 0,
    })
    const devices = plural(answer.devices, { one: '# device', other: '# devices' })
    return answer.isCapped ? t`at least ${i18n.number(answer.devices)} devices` : devices
  }
  /** Asks with the number of devices; a form that has something wrong says that first. */
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const isWrong = Object.values(checkOf(values, productId)).some(Boolean)
    if (isWrong) return form.props.onSubmit(event)
    const ask = async () => {
      const devices = await count()
      const isLater = values.when === 'later'
      const at = isLater
        ? i18n.date(new Date(values.sendAt), { dateStyle: 'medium', timeStyle: 'short' })
        : ''
      const isAgreed = await confirm({
        title: isLater ? t`Schedule for ${devices}?` : t`Send to ${devices}?`,
        text: isLater
          ? t`It is sent at ${at}, to the devices that are registered by then. You can cancel it until then.`
          : t`It is sent at once. Messages that are out cannot be taken back.`,
        action: isLater ? t`Schedule` : t`Send`,
      })
      if (isAgreed) form.props.onSubmit(event)
    }
    ask().catch((error: unknown) => notify({ kind: 'failure', text: problemText(error, i18n) }))
  }

  return (
    <SidePanel title={t`New notification`} mode="form" onClose={onClose}>
      <FormShell
        form={{ ...form, props: { ...form.props, onSubmit: submit } }}
        place="panel"
        submitLabel={values.when === 'later' ? t`Schedule…` : t`Send…`}
        draft="new cedar.notification"
        isKeptBy={(search) => search['create'] === true}
        onCancel={onClose}
      >
        <div className="field">
          <label htmlFor="notification-app">{t`App`}</label>
          <select
            id="notification-app"
            className="select"
            value={productId}
            aria-invalid={form.errors['productId'] ? true : undefined}
            onChange={({ target }) => form.set({ productId: target.value })}
          >
            <option value="">{t`Choose an app`}</option>
            {apps.map((each) => (
              <option key={each.productId} value={each.productId}>
                {titleIn(each.translations, currentLocale()).title}
              </option>
            ))}
          </select>
          {form.errors['productId'] && (
            <div className="field-error">{form.errors['productId']}</div>
          )}
        </div>
        <Texts form={form} />
        <Meter values={values} />
        <NotificationPreview
          app={product ? titleIn(product.translations, currentLocale()).title : t`Your app`}
          texts={textsOf(values)}
        />
        <Opens form={form} hasLink={(product?.linkId ?? null) !== null} />
        <AudienceFields form={form} />
        <Estimate answer={estimate.data} />
        <When form={form} />
        <TestSend values={values} productId={productId} />
      </FormShell>
    </SidePanel>
  )
}

const isToCome = (time: string) => Date.parse(time) > Date.now()
const isHttps = (text: string) => URL.canParse(text.trim()) && /^https:\/\//i.test(text.trim())

/** The texts that anything was written of. */
function textsOf({ texts }: Values) {
  return locales
    .map((localeCode) => ({
      localeCode,
      title: texts[`${localeCode}.title`],
      body: texts[`${localeCode}.body`],
    }))
    .filter(({ title, body }) => title.trim() !== '' || body.trim() !== '')
}

const linkOf = ({ opens, link }: Values) =>
  opens === 'app' ? null : opens === 'link' ? productLink : link.trim()

const largestOf = (values: Values) =>
  Math.max(
    0,
    ...textsOf(values).map((text) =>
      textBytes(text, { link: linkOf(values), expirySeconds: expirySeconds[values.expiry] }),
    ),
  )

const hasVersions = ({ minAppVersion, maxAppVersion }: Values) =>
  [minAppVersion, maxAppVersion].every(
    (version) => version.trim() === '' || isAppVersion(version.trim()),
  )

function audienceOf(values: Values): Audience {
  const [least, most] = [values.minAppVersion.trim(), values.maxAppVersion.trim()]
  return {
    ...(values.platforms.length > 0 && { platforms: [...values.platforms] }),
    ...(values.locales.length > 0 && { locales: [...values.locales] }),
    ...(least !== '' && { minAppVersion: least }),
    ...(most !== '' && { maxAppVersion: most }),
    ...(values.who === 'test' && { testDevices: true }),
  }
}

function estimateQuery(values: Values, productId: string) {
  const { platforms, locales: languages, ...rest } = audienceOf(values)
  return api.cedar.query('/api/notification/audience', {
    query: {
      productId,
      ...rest,
      ...(platforms && { platforms: platforms.join(',') }),
      ...(languages && { locales: languages.join(',') }),
    },
  })
}

function bodyOf(values: Values, productId: string) {
  const link = linkOf(values)
  const sendAt = values.when === 'later' ? fromLocalTime(values.sendAt) : null
  const seconds = expirySeconds[values.expiry]
  const due = sendAt === null ? Date.now() : Date.parse(sendAt)
  return {
    productId,
    translations: textsOf(values),
    audience: audienceOf(values),
    ...(link !== null && { link }),
    ...(sendAt !== null && { sendAt }),
    ...(seconds !== null && { expiresAt: new Date(due + seconds * 1000).toISOString() }),
  }
}

/** `translations.0.body` of the request is `texts.en-US.body` of the form. */
function fieldOfPath(path: string, sent: Values): string {
  const [, index = '', field = ''] = /^translations\.(\d+)\.(\w+)/.exec(path) ?? []
  const text = textsOf(sent)[Number(index)]
  if (index !== '' && text) return `texts.${text.localeCode}.${field}`
  return path.replace('audience.', '')
}

interface PartProps {
  form: Form<Values>
}

function Texts({ form }: PartProps) {
  const { t } = useLingui()
  const { values, errors } = form
  const label = { title: t({ message: 'Title', context: 'of a notification' }), body: t`Text` }
  return locales.map((locale) => (
    <fieldset key={locale} className={styles.group}>
      <legend>{localeNames[locale]}</legend>
      {fieldNames.map((field) => {
        const name: TextName = `${locale}.${field}`
        return (
          <CountedField
            key={field}
            label={label[field]}
            lang={locale}
            value={values.texts[name]}
            limit={notificationLimits[field]}
            lines={field === 'body' ? 3 : 1}
            error={errors[`texts.${name}`]}
            onChange={(text) => form.set((now) => ({ texts: { ...now.texts, [name]: text } }))}
          />
        )
      })}
    </fieldset>
  ))
}

/** How much of what FCM takes the largest message uses. */
function Meter({ values }: { values: Values }) {
  const { t, i18n } = useLingui()
  const most = notificationLimits.payloadBytes
  const bytes = largestOf(values)
  const [used, limit] = [i18n.number(bytes), i18n.number(most)]
  return (
    <div className={styles.meter}>
      <meter
        min={0}
        max={most}
        high={most * 0.9}
        optimum={0}
        value={Math.min(bytes, most)}
        aria-label={t`Size of the message`}
      />
      <span className={bytes > most ? 'field-error' : 'field-hint'}>
        {t`${used} of ${limit} bytes of a message, in its largest language`}
      </span>
    </div>
  )
}

function Opens({ form, hasLink }: PartProps & { hasLink: boolean }) {
  const { t } = useLingui()
  const { values } = form
  return (
    <>
      <SelectField
        label={t`A tap opens`}
        value={values.opens}
        words={
          {
            app: t`The host app`,
            ...(hasLink && { link: t`The app’s own link` }),
            address: t`An address`,
          } as Record<Values['opens'], string>
        }
        onChange={(opens) => form.set({ opens })}
      />
      {values.opens === 'address' && (
        <Field
          label={t`Address`}
          type="url"
          placeholder="https://"
          maxLength={notificationLimits.link}
          {...form.input('link')}
        />
      )}
    </>
  )
}

function AudienceFields({ form }: PartProps) {
  const { t } = useLingui()
  const { values } = form
  const toggled = <T extends string>(chosen: readonly T[], value: T) =>
    chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]
  return (
    <fieldset className={styles.group}>
      <legend>{t`Audience`}</legend>
      <SelectField
        label={t`Devices`}
        value={values.who}
        words={{ all: t`All devices`, test: t`Test devices` }}
        onChange={(who) => form.set({ who })}
      />
      <Checks
        label={t`Platforms; none chosen means all`}
        options={devicePlatforms.map((value) => ({ value, label: platformNames[value] }))}
        chosen={values.platforms}
        onToggle={(value) => form.set((now) => ({ platforms: toggled(now.platforms, value) }))}
      />
      <Checks
        label={t`Languages; none chosen means all`}
        options={locales.map((value) => ({ value, label: localeNames[value] }))}
        chosen={values.locales}
        onToggle={(value) => form.set((now) => ({ locales: toggled(now.locales, value) }))}
      />
      <div className={styles.pair}>
        <Field label={t`From version`} placeholder="1.0" {...form.input('minAppVersion')} />
        <Field label={t`To version`} {...form.input('maxAppVersion')} />
      </div>
    </fieldset>
  )
}

interface ChecksProps<T extends string> {
  label: string
  options: readonly { value: T; label: string }[]
  chosen: readonly T[]
  onToggle: (value: T) => void
}

function Checks<T extends string>({ label, options, chosen, onToggle }: ChecksProps<T>) {
  return (
    <fieldset className={styles.group}>
      <legend className="field-hint">{label}</legend>
      <div className={styles.checks}>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={() => onToggle(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface EstimateProps {
  answer: { devices: number; isCapped: boolean; quota: { left: number; limit: number } } | undefined
}

function Estimate({ answer }: EstimateProps) {
  const { t, i18n } = useLingui()
  if (!answer) return null
  const devices = plural(answer.devices, { one: '# device', other: '# devices' })
  const [left, limit] = [i18n.number(answer.quota.left), i18n.number(answer.quota.limit)]
  return (
    <output className="field-hint">
      {answer.isCapped
        ? t`Reaches at least ${i18n.number(answer.devices)} devices now.`
        : t`Reaches ${devices} now.`}{' '}
      {t`${left} of ${limit} notifications are left today (UTC).`}
    </output>
  )
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

function When({ form }: PartProps) {
  const { t } = useLingui()
  const { values } = form
  return (
    <>
      <SelectField
        label={t`Send`}
        value={values.when}
        words={{ now: t`Now`, later: t`Later` }}
        onChange={(when) => form.set({ when })}
      />
      {values.when === 'later' && (
        <Field
          label={t`Time`}
          type="datetime-local"
          hint={t`In ${zone}.`}
          {...form.input('sendAt')}
        />
      )}
      <SelectField
        label={t`Expires`}
        value={values.expiry}
        words={{
          none: t({ message: 'Never', context: 'a notification expires' }),
          hour: t`After an hour`,
          day: t`After a day`,
          week: t`After a week`,
        }}
        onChange={(expiry) => form.set({ expiry })}
      />
    </>
  )
}

/** Sends what is written to the test devices, and says what became of it on each. */
function TestSend({ values, productId }: { values: Values; productId: string }) {
  const { t, i18n } = useLingui()
  const { failureOf } = useNotificationWords()
  const [isSending, setSending] = useState(false)
  const [results, setResults] = useState<readonly string[]>([])
  const test = async () => {
    setSending(true)
    const link = linkOf(values)
    try {
      const answer = await api.cedar.post('/api/notification/test', {
        body: { productId, translations: textsOf(values), ...(link !== null && { link }) },
      })
      setResults(
        answer.results.map(({ deviceId, name, isSent, reason }) => {
          const device = name ?? deviceId.slice(0, 8)
          const why = reason === null ? '' : failureOf(reason)
          return isSent ? t`${device}: sent` : t`${device}: not sent. ${why}`
        }),
      )
    } catch (error) {
      setResults([problemText(error, i18n)])
    } finally {
      setSending(false)
    }
  }
  const isReady = productId !== '' && textsOf(values).length > 0
  return (
    <div>
      <button
        type="button"
        className="button"
        aria-disabled={!isReady || isSending}
        onClick={() => isReady && !isSending && void test()}
      >
        <Send size={16} aria-hidden />
        {isSending ? <Trans>Sending…</Trans> : <Trans>Send a test</Trans>}
      </button>
      <output>
        {results.map((result) => (
          <p key={result} className="field-hint">
            {result}
          </p>
        ))}
      </output>
    </div>
  )
}
