import type { AccountRole } from '@grove/contract/auth/account.rules'
import type { LocaleCode as Locale } from '@grove/contract/locale.rules'

/** The texts of one mail; `{email}`, `{time}`, `{network}`, `{inviter}` and `{role}` are filled in. */
export interface MailText {
  subject: string
  preheader: string
  title: string
  before: readonly string[]
  button: string
  after: readonly string[]
  reason: string
}

export type MailKind = 'validate' | 'reset' | 'passwordChanged' | 'invitation'

/**
 * No mail repeats what a stranger typed, such as the name given at sign-up: otherwise anyone could
 * send their own text to any address in our name.
 */
export const mailTexts: Record<Locale, Record<MailKind, MailText>> = {
  'en-US': {
    validate: {
      subject: 'Confirm your email address for Grove',
      preheader: 'Confirm that this address is yours. The link works until {time}.',
      title: 'Confirm your email address',
      before: [
        'A Grove account uses the address {email}, which is not confirmed yet. If the account is yours, confirm the address.',
      ],
      button: 'Confirm email address',
      after: [
        'The link works once and expires on {time}. Only the newest link works.',
        'The request came from the network {network}.',
        'If the account isn’t yours, don’t use the link: it would confirm someone else’s account with your address.',
      ],
      reason:
        'You received this email because a confirmation was requested for the Grove account with the address {email}.',
    },
    reset: {
      subject: 'Choose a new password for Grove',
      preheader: 'A new password was requested. The link works until {time}.',
      title: 'Choose a new password',
      before: [
        'A new password was requested for the Grove account with the address {email}. If it was you, choose one now.',
      ],
      button: 'Choose new password',
      after: [
        'The link works once and expires on {time}. Only the newest link works. A new password ends every session of the account.',
        'The request came from the network {network}.',
        'If it wasn’t you, you don’t need to do anything: your password stays the same. Don’t share the link with anyone.',
      ],
      reason:
        'You received this email because a new password was requested for the Grove account with the address {email}.',
    },
    passwordChanged: {
      subject: 'Your Grove password was changed',
      preheader: 'If it wasn’t you, choose a new password right away.',
      title: 'Your password was changed',
      before: [
        'The password of the Grove account with the address {email} was changed on {time}, from the network {network}.',
        'If it was you, you don’t need to do anything.',
        'If it wasn’t you, choose a new password right away, with “Forgotten your password?” on the sign-in page. That ends every session of the account. Then check the linked accounts on the account page.',
      ],
      button: 'Choose new password',
      after: [],
      reason:
        'You received this email because the password of the Grove account with the address {email} was changed.',
    },
    invitation: {
      subject: 'You are invited to Grove',
      preheader: 'You are invited as {role}. The link works until {time}.',
      title: 'You are invited to Grove',
      before: [
        '{inviter} invites you to Grove as {role}. Accept the invitation, and choose a name and a password.',
      ],
      button: 'Accept invitation',
      after: [
        'The link works once and expires on {time}. Only the newest link works.',
        'If you didn’t expect this, you don’t need to do anything: without you, no account is created. Don’t share the link with anyone.',
      ],
      reason: 'You received this email because the address {email} was invited to Grove.',
    },
  },
  'ru-RU': {
    validate: {
      subject: 'Подтвердите адрес электронной почты для Grove',
      preheader: 'Подтвердите, что это ваш адрес. Ссылка действует до {time}.',
      title: 'Подтвердите адрес электронной почты',
      before: [
        'Адрес {email} указан в учётной записи Grove, но ещё не подтверждён. Если это ваша учётная запись, подтвердите адрес.',
      ],
      button: 'Подтвердить адрес',
      after: [
        'Ссылка действует один раз, до {time}. Работает только последняя из отправленных ссылок.',
        'Запрос отправлен из сети {network}.',
        'Если это не ваша учётная запись, не переходите по ссылке: она подтвердит чужую учётную запись с вашим адресом.',
      ],
      reason:
        'Вы получили это письмо, потому что для учётной записи Grove с адресом {email} запрошено подтверждение адреса.',
    },
    reset: {
      subject: 'Выберите новый пароль для Grove',
      preheader: 'Кто-то запросил новый пароль. Ссылка действует до {time}.',
      title: 'Выберите новый пароль',
      before: [
        'Кто-то запросил новый пароль для учётной записи Grove с адресом {email}. Если это были вы, выберите новый пароль.',
      ],
      button: 'Выбрать новый пароль',
      after: [
        'Ссылка действует один раз, до {time}. Работает только последняя из отправленных ссылок. Новый пароль завершит все сеансы учётной записи.',
        'Запрос отправлен из сети {network}.',
        'Если это были не вы, ничего делать не нужно: пароль не изменится. Никому не передавайте ссылку.',
      ],
      reason:
        'Вы получили это письмо, потому что кто-то запросил новый пароль для учётной записи Grove с адресом {email}.',
    },
    passwordChanged: {
      subject: 'Пароль Grove изменён',
      preheader: 'Если это были не вы, сразу выберите новый пароль.',
      title: 'Ваш пароль изменён',
      before: [
        'Пароль учётной записи Grove с адресом {email} изменён {time} из сети {network}.',
        'Если это были вы, ничего делать не нужно.',
        'Если это были не вы, сразу выберите новый пароль: на странице входа нажмите «Забыли пароль?». Это завершит все сеансы учётной записи. Затем проверьте связанные учётные записи на её странице.',
      ],
      button: 'Выбрать новый пароль',
      after: [],
      reason:
        'Вы получили это письмо, потому что пароль учётной записи Grove с адресом {email} изменён.',
    },
    invitation: {
      subject: 'Приглашение в Grove',
      preheader: 'Вас приглашают с ролью «{role}». Ссылка действует до {time}.',
      title: 'Вас приглашают в Grove',
      before: [
        '{inviter} приглашает вас в Grove с ролью «{role}». Примите приглашение и укажите имя и пароль.',
      ],
      button: 'Принять приглашение',
      after: [
        'Ссылка действует один раз, до {time}. Работает только последняя из отправленных ссылок.',
        'Если вы не ждали приглашения, ничего делать не нужно: без вас учётная запись не появится. Никому не передавайте ссылку.',
      ],
      reason: 'Вы получили это письмо, потому что адрес {email} пригласили в Grove.',
    },
  },
}

/** Introduces the link as text. */
export const linkFallback: Record<Locale, string> = {
  'en-US': 'If the button doesn’t work, copy this link into your browser:',
  'ru-RU': 'Если кнопка не работает, скопируйте ссылку в браузер:',
}

/** The name of the invited role, inside a sentence. */
export const roleWords: Record<Locale, Record<AccountRole, string>> = {
  'en-US': { CUSTOMER: 'a customer', DEVELOPER: 'a developer', ADMIN: 'an administrator' },
  'ru-RU': { CUSTOMER: 'Клиент', DEVELOPER: 'Разработчик', ADMIN: 'Администратор' },
}
