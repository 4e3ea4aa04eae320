-- Null: somebody with a shell on the server, who makes the first administrator.
alter table auth.invitation alter column invited_by drop not null;
