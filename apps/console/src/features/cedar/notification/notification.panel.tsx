import type { Notification } from '@grove/contract/cedar/notification'
import { useLingui } from '@lingui/react/macro'
import { Ban } from 'lucide-react'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { currentLocale, localeNames } from '../../../ui/i18n/locale.ts'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { titleIn } from '../parts/titles.ts'
import { notificationQuery, refreshNotifications } from './notification.api.ts'
import {
  NotificationStateBadge,
  useAudienceText,
  useNotificationWords,
} from './notification.labels.tsx'
import styles from './notification.module.css'

/** One notification: its progress, the outcome of its messages, and its texts. */
export function NotificationPanel(panel: OpenItem) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const cancel = (notification: Notification) =>
    confirmed({
      question: {
        title: t`Cancel this notification?`,
        text: t`It will not be sent. This cannot be undone.`,
        action: t`Cancel the notification`,
        cancel: t`Keep it`,
        isDanger: true,
      },
      change: () =>
        api.cedar.post('/api/notification/{id}/cancel', { params: { id: notification.id } }),
      done: () => t`The notification is cancelled.`,
      refresh: refreshNotifications,
    })
  return (
    <ItemPanel
      {...panel}
      query={notificationQuery(panel.id)}
      title={({ translations }) => titleIn(translations, currentLocale()).title}
      missing={t`There is no notification with this ID.`}
      renderActions={(notification) => (
        <PanelAction
          icon={Ban}
          label={t`Cancel…`}
          refusal={
            notification.rights.cancel === null
              ? undefined
              : notification.state === 'sending'
                ? t`It is being sent.`
                : t`It has ended.`
          }
          onAct={() => void cancel(notification)}
        />
      )}
    >
      {(notification) => (
        <div className={styles.details}>
          <Facts notification={notification} />
          <Failures notification={notification} />
          {notification.translations.map(({ localeCode, title, body }) => (
            <section key={localeCode} lang={localeCode}>
              <h3>{localeNames[localeCode]}</h3>
              <p>
                <strong>
                  <bdi>{title}</bdi>
                </strong>
              </p>
              <p className={styles.body}>{body}</p>
            </section>
          ))}
        </div>
      )}
    </ItemPanel>
  )
}

function Facts({ notification }: { notification: Notification }) {
  const { t, i18n } = useLingui()
  const words = useNotificationWords()
  const audienceText = useAudienceText()
  const { state, reason, devices, link, transport, startedAt, finishedAt, expiresAt } = notification
  return (
    <PanelFacts
      facts={[
        [t`State`, <NotificationStateBadge key="state" state={state} />],
        ...(reason === null ? [] : [[t`Reason`, words.reasonOf(reason)] as const]),
        [
          t`App`,
          <bdi key="app">{titleIn(notification.productTranslations, currentLocale()).title}</bdi>,
        ],
        [t`Audience`, audienceText(notification.audience)],
        [t`Devices`, devices === null ? '–' : i18n.number(devices)],
        [t({ message: 'Sent', context: 'messages' }), i18n.number(notification.sent)],
        [t({ message: 'Delivered', context: 'messages' }), i18n.number(notification.delivered)],
        [t({ message: 'Opened', context: 'messages' }), i18n.number(notification.opened)],
        [t({ message: 'Failed', context: 'messages' }), i18n.number(notification.failed)],
        [
          t({ message: 'Due', context: 'notifications' }),
          <DateText key="at" value={notification.at} />,
        ],
        [t`Started`, <DateText key="started" value={startedAt} />],
        [t`Ended`, <DateText key="finished" value={finishedAt} />],
        ...(expiresAt === null
          ? []
          : [[t`Expires`, <DateText key="expires" value={expiresAt} />] as const]),
        ...(link === null
          ? []
          : [[t`Opens`, link === 'product' ? t`The app’s own link` : link] as const]),
        ...(transport === null ? [] : [[t`Transport`, transport] as const]),
      ]}
    />
  )
}

/** Why messages failed, most frequent reason first. */
function Failures({ notification: { failures } }: { notification: Notification }) {
  const { t, i18n } = useLingui()
  const { failureOf } = useNotificationWords()
  const reasons = Object.entries(failures).toSorted(([, a], [, b]) => b - a)
  if (reasons.length === 0) return null
  return (
    <section>
      <h3>{t`Failures by reason`}</h3>
      <PanelFacts
        facts={reasons.map(([reason, count]) => [failureOf(reason), i18n.number(count)])}
      />
    </section>
  )
}
