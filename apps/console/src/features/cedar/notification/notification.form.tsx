import type { Notification } from '@grove/contract/cedar/notification'
import {
  isAppVersion,
  normaliseBody,
  notificationLimits,
} from '@grove/contract/cedar/notification.rules'
import { locales } from '@grove/contract/locale.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState, type SyntheticEvent } from 'react'
import { ApiProblem } from '../../../api/problem.ts'
import { problemText } from '../../../api/problem-text.ts'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { Field } from '../../../ui/field/field.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { currentLocale, localeNames } from '../../../ui/i18n/locale.ts'
import type { NewItem } from '../../../ui/panel/create-item.tsx'
import { SidePanel } from '../../../ui/panel/side-panel.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { CountedField } from '../parts/counted-field.tsx'
import { productQuery } from '../parts/product.api.ts'
import { titleIn } from '../parts/titles.ts'
import { AppField } from './notification-app.tsx'
import { AudienceFields, Estimate } from './notification-audience.tsx'
import { NotificationPreview } from './notification-preview.tsx'
import { TestSend } from './test-send.tsx'
import {
  bodyOf,
  empty,
  estimateQuery,
  fieldNames,
  fieldOfPath,
  hasVersions,
  isHttps,
  isToCome,
  largestOf,
  textsOf,
  type PartProps,
  type TextName,
  type Values,
} from './notification-values.ts'
import { productChoices, refreshNotifications } from './notification.api.ts'
import styles from './notification.module.css'
import { momentText } from '../../../ui/i18n/moment-text.ts'

const isLeftOut = (error: unknown) =>
  error instanceof ApiProblem && !!error.foreign && [404, 405, 501].includes(error.status)

/**
 * Texts, audience and time of a notification. Sending it asks the reader to confirm the number of
 * devices.
 */
export function ComposeNotification({ onCreated, onClose }: NewItem) {
  const { t, i18n } = useLingui()
  // One form is one notification, however often it is submitted.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { data: products } = useQuery(productChoices)
  const [first, ...others] = products?.items ?? []
  const only = others.length === 0 ? first?.productId : undefined
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
  const { data: product } = useQuery({ ...productQuery(productId), enabled: productId !== '' })

  function checkOf(given: Values, app: string) {
    const errors: Record<string, string | undefined> = {
      productId: app === '' ? t`Choose an app.` : undefined,
      link:
        given.opens === 'address' && !isHttps(given.link)
          ? t`Enter a URL that starts with https://.`
          : undefined,
      sendAt:
        given.when === 'later' && !isToCome(given.sendAt)
          ? t`Choose a time in the future.`
          : undefined,
      minAppVersion: versionProblem(given.minAppVersion),
      maxAppVersion: versionProblem(given.maxAppVersion),
    }
    const written = textsOf(given)
    if (written.length === 0) errors['texts.en-US.title'] = t`Enter a title.`
    for (const { localeCode, title, body } of written) {
      if (title.trim() === '') errors[`texts.${localeCode}.title`] = t`Enter a title.`
      if (normaliseBody(body) === '') errors[`texts.${localeCode}.body`] = t`Enter a text.`
    }
    if (largestOf(given) > notificationLimits.payloadBytes)
      errors['texts.en-US.body'] ??= t`The message is too large. Shorten its text.`
    return errors
  }
  function versionProblem(version: string) {
    return version.trim() === '' || isAppVersion(version.trim())
      ? undefined
      : t`Enter numbers, such as 1.10.2.`
  }

  const count = async () => {
    const answer = await queryClient
      .fetchQuery({ ...estimateQuery(values, productId), staleTime: 0 })
      .catch((error: unknown) => {
        // A third-party service may not count: then it is sent without a number.
        if (!isLeftOut(error)) throw error
      })
    if (!answer) return t`all devices of the audience`
    const devices = plural(answer.devices, { one: '# device', other: '# devices' })
    return answer.isCapped ? t`at least ${i18n.number(answer.devices)} devices` : devices
  }
  /** Asks with the number of devices, unless the form has errors to fix first. */
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const isWrong = Object.values(checkOf(values, productId)).some(Boolean)
    if (isWrong) return form.props.onSubmit(event)
    const ask = async () => {
      const devices = await count()
      const isLater = values.when === 'later'
      const at = isLater
        ? momentText(i18n, values.sendAt, { dateStyle: 'medium', timeStyle: 'short' })
        : ''
      const isAgreed = await confirm({
        title: isLater ? t`Schedule for ${devices}?` : t`Send to ${devices}?`,
        text: isLater
          ? t`It is sent at ${at}, to the devices registered by then. You can cancel it until then.`
          : t`It is sent immediately. Sent messages can’t be recalled.`,
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
        <AppField
          product={product}
          error={form.errors['productId']}
          onChange={(chosen) => form.set({ productId: chosen })}
        />
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

/** How much of FCM's limit the largest message uses. */
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
        {t`${used} of ${limit} bytes of a message, in the longest language`}
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
        words={{
          app: t`The host app`,
          ...(hasLink && { link: t`The app’s own link` }),
          address: t`A URL`,
        }}
        onChange={(opens) => form.set({ opens })}
      />
      {values.opens === 'address' && (
        <Field
          label={t`URL`}
          type="url"
          placeholder="https://"
          maxLength={notificationLimits.link}
          {...form.input('link')}
        />
      )}
    </>
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
