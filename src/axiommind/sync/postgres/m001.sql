-- A remote in PostgreSQL, version 1. Run by setup.py as the role axm_owner, which owns the schema and cannot log in.
--
-- Members have no right on any table: they call the functions at the end, which look at who is logged in
-- (session_user, which `set role` does not change). Whether a space is not there or is somebody else's is answered
-- alike. Row-level security beneath says the same again, for whoever finds a way around them. What is kept is
-- encrypted and signed by the machines that use it; nothing here can read it.

create domain axm.label as text collate "C" check (value ~ '^[A-Za-z0-9_-]{1,100}$');

create table axm.migrations (version int primary key, at timestamptz not null default now());
create table axm.spaces (space axm.label primary key, founder name not null, since timestamptz not null default now());
create table axm.members (
  space axm.label not null,
  who name not null,
  role text not null check (role in ('owner', 'member', 'reader')),
  primary key (who, space)
);
create index members_of_space on axm.members (space);
create table axm.heads (
  space axm.label not null,
  origin axm.label not null,
  who name not null,
  n bigint not null,
  hash bytea not null,
  primary key (space, origin)
);
create table axm.segments (
  space axm.label not null,
  origin axm.label not null,
  n bigint not null check (n between 1 and 999999999999),
  hash bytea not null,
  body bytea not null check (octet_length(body) <= 16777216),
  primary key (space, origin, n)
);
create table axm.sessions (
  space axm.label not null,
  session axm.label not null,
  who name not null,
  primary key (space, session)
);
create table axm.packs (
  space axm.label not null,
  session axm.label not null,
  name axm.label not null,
  body bytea not null check (octet_length(body) <= 16777216),
  primary key (space, session, name)
);
create table axm.keys (
  space axm.label not null,
  session axm.label not null,
  wrapped bytea not null check (octet_length(wrapped) <= 65536),
  primary key (space, session)
);
create table axm.cards (
  space axm.label not null,
  kind axm.label not null,
  name axm.label not null,
  who name not null,
  card bytea not null check (octet_length(card) <= 65536),
  primary key (space, kind, name)
);
-- What is encrypted does not get shorter.
alter table axm.segments alter body set storage external;
alter table axm.packs alter body set storage external;

-- The spaces of whoever is logged in.
create function axm.mine() returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select m.space from axm.members m where m.who = session_user $$;

do $$
declare
  name text;
begin
  foreach name in array array['migrations', 'spaces', 'members'] loop
    execute format('alter table axm.%I enable row level security', name);
    execute format('alter table axm.%I force row level security', name);
    execute format('create policy only_functions on axm.%I to axm_owner using (true)', name);
  end loop;
  foreach name in array array['heads', 'segments', 'sessions', 'packs', 'keys'] loop
    execute format('alter table axm.%I enable row level security', name);
    execute format('alter table axm.%I force row level security', name);
    execute format(
      'create policy only_mine on axm.%I to axm_owner using (space = any (array(select axm.mine())))', name);
  end loop;
end
$$;
-- An invitation lies in a place whose name only its phrase gives: whoever was let in and knows the name may take it.
alter table axm.cards enable row level security;
alter table axm.cards force row level security;
create policy only_mine on axm.cards to axm_owner
  using (kind = 'pairing' or space = any (array(select axm.mine())));

-- What whoever is logged in may do in a space; null where that is nothing.
create function axm.role_in(wanted text) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select m.role from axm.members m where m.space = wanted and m.who = session_user $$;

create function axm.refuse() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$ begin raise exception 'not yours' using errcode = 'insufficient_privilege'; end $$;

-- Enter a space to write into it. Whoever first writes into a space that is not there is its owner.
create function axm.enter(wanted text, even_reader boolean default false) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_role text := axm.role_in(wanted);
begin
  if found_role is null then
    insert into axm.spaces (space, founder) values (wanted, session_user) on conflict do nothing;
    if found then
      insert into axm.members (space, who, role) values (wanted, session_user, 'owner');
      return 'owner';
    end if;
    found_role := axm.role_in(wanted); -- another machine of the same person may have been faster
    if found_role is null then
      perform axm.refuse();
    end if;
  end if;
  if found_role = 'reader' and not even_reader then
    perform axm.refuse();
  end if;
  return found_role;
end
$$;

-- A session belongs to whoever first put something of it.
create function axm.enter_session(wanted text, wanted_session text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform axm.enter(wanted);
  insert into axm.sessions (space, session, who) values (wanted, wanted_session, session_user) on conflict do nothing;
  if not exists (
    select from axm.sessions s where s.space = wanted and s.session = wanted_session and s.who = session_user
  ) then
    perform axm.refuse();
  end if;
end
$$;

create function axm.empty_space(wanted text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from axm.keys k where k.space = wanted;
  delete from axm.packs p where p.space = wanted;
  delete from axm.sessions s where s.space = wanted;
  delete from axm.segments s where s.space = wanted;
  delete from axm.heads h where h.space = wanted;
  delete from axm.cards c where c.space = wanted;
  delete from axm.members m where m.space = wanted;
  delete from axm.spaces s where s.space = wanted;
end
$$;

-- --- what members call -------------------------------------------------------------------------------------------

create function axm.version() returns int
language sql immutable security definer set search_path = pg_catalog, pg_temp
as $$ select 1 $$;

create function axm.heads(wanted text) returns table (origin text, n bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if axm.role_in(wanted) is not null then
    return query select h.origin::text, h.n from axm.heads h where h.space = wanted;
  end if;
end
$$;

create function axm.push(wanted text, from_origin text, number bigint, previous bytea, content bytea) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  content_hash bytea := sha256(content);
  head axm.heads;
  kept bytea;
begin
  perform axm.enter(wanted);
  if number = 1 then
    insert into axm.heads (space, origin, who, n, hash)
    values (wanted, from_origin, session_user, 1, content_hash)
    on conflict do nothing;
  else
    update axm.heads h set n = number, hash = content_hash
    where h.space = wanted and h.origin = from_origin and h.who = session_user
      and h.n = number - 1 and h.hash = previous;
  end if;
  if found then
    insert into axm.segments (space, origin, n, hash, body)
    values (wanted, from_origin, number, content_hash, content);
    return 'ok';
  end if;
  select * into head from axm.heads h where h.space = wanted and h.origin = from_origin;
  if head.origin is null then
    return 'gap';
  end if;
  if head.who <> session_user then
    perform axm.refuse();
  end if;
  select s.hash into kept from axm.segments s where s.space = wanted and s.origin = from_origin and s.n = number;
  return case
    when kept = content_hash then 'same'
    when kept is null and head.n < number - 1 then 'gap'
    else 'fork'
  end;
end
$$;

create function axm.pull(wanted text, from_origin text, after bigint, most int, most_bytes bigint)
returns table (body bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if axm.role_in(wanted) is not null then
    return query
      select found.body
      from (
        select s.n, s.body, sum(octet_length(s.body)) over (order by s.n) - octet_length(s.body) as before
        from axm.segments s
        where s.space = wanted and s.origin = from_origin and s.n > after
        order by s.n
        limit least(most, 1000)
      ) found
      where found.before <= most_bytes
      order by found.n;
  end if;
end
$$;

create function axm.put_packs(wanted text, wanted_session text, names text[], bodies bytea[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform axm.enter_session(wanted, wanted_session);
  insert into axm.packs (space, session, name, body)
  select wanted, wanted_session, given.name, given.body from unnest(names, bodies) as given(name, body)
  on conflict do nothing;
end
$$;

-- A pack beyond so many bytes comes without its body: ask for it again.
create function axm.packs(wanted text, wanted_session text, names text[], most_bytes bigint)
returns table (name text, body bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if axm.role_in(wanted) is not null then
    return query
      select found.name, case when found.before <= most_bytes then found.body end
      from (
        select p.name::text, p.body, sum(octet_length(p.body)) over (order by p.name) - octet_length(p.body) as before
        from axm.packs p
        where p.space = wanted and p.session = wanted_session and p.name = any (names)
      ) found;
  end if;
end
$$;

create function axm.put_key(wanted text, wanted_session text, key bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform axm.enter_session(wanted, wanted_session);
  insert into axm.keys (space, session, wrapped) values (wanted, wanted_session, key) on conflict do nothing;
end
$$;

create function axm.keys(wanted text, wanted_sessions text[]) returns table (session text, wrapped bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if axm.role_in(wanted) is not null then
    return query
      select k.session::text, k.wrapped from axm.keys k where k.space = wanted and k.session = any (wanted_sessions);
  end if;
end
$$;

-- Destroy the key of a session and its texts: for whoever put them, and for an owner of the space. Others may have
-- heard that it is forgotten, and ask too: false, and it is left to those.
create function axm.forget(wanted text, wanted_session text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  my_role text := axm.enter(wanted);
  whose name;
begin
  select s.who into whose from axm.sessions s where s.space = wanted and s.session = wanted_session for update;
  if whose is null then
    return true;
  end if;
  if whose <> session_user and my_role <> 'owner' then
    return false;
  end if;
  delete from axm.keys k where k.space = wanted and k.session = wanted_session;
  delete from axm.packs p where p.space = wanted and p.session = wanted_session;
  delete from axm.sessions s where s.space = wanted and s.session = wanted_session;
  return true;
end
$$;

-- A card is replaced by whoever put it, or by an owner of the space.
create function axm.put_card(wanted text, of_kind text, card_name text, content bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  my_role text;
begin
  update axm.cards c set card = content
  where of_kind = 'pairing' and c.space = wanted and c.kind = of_kind and c.name = card_name;
  if found then
    return;
  end if;
  my_role := axm.enter(wanted, even_reader => true);
  insert into axm.cards as c (space, kind, name, who, card)
  values (wanted, of_kind, card_name, session_user, content)
  on conflict (space, kind, name) do update set card = content
  where c.who = session_user or my_role = 'owner';
  if not found then
    perform axm.refuse();
  end if;
end
$$;

create function axm.cards(wanted text, of_kind text) returns table (name text, card bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if of_kind = 'pairing' or axm.role_in(wanted) is not null then
    return query select c.name::text, c.card from axm.cards c where c.space = wanted and c.kind = of_kind;
  end if;
end
$$;

create function axm.members(wanted text) returns table (who text, role text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if axm.role_in(wanted) is not null then
    return query select m.who::text, m.role from axm.members m where m.space = wanted order by m.who;
  end if;
end
$$;

create function axm.add_member(wanted text, person text, new_role text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if axm.role_in(wanted) is distinct from 'owner' then
    perform axm.refuse();
  end if;
  if not exists (select from pg_roles r where r.rolname = person and pg_has_role(r.oid, 'axm_member', 'member')) then
    raise exception 'no such person' using errcode = 'undefined_object';
  end if;
  insert into axm.members as m (space, who, role) values (wanted, person, new_role)
  on conflict (who, space) do update set role = new_role;
  perform axm.keep_an_owner(wanted);
end
$$;

-- Owners remove others, and everybody may leave.
create function axm.remove_member(wanted text, person text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if axm.role_in(wanted) is distinct from 'owner' and (axm.role_in(wanted) is null or person <> session_user) then
    perform axm.refuse();
  end if;
  delete from axm.members m where m.space = wanted and m.who = person;
  perform axm.keep_an_owner(wanted);
end
$$;

create function axm.keep_an_owner(wanted text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform from axm.spaces s where s.space = wanted for update;
  if not exists (select from axm.members m where m.space = wanted and m.role = 'owner') then
    raise exception 'a space keeps an owner' using errcode = 'restrict_violation';
  end if;
end
$$;

-- Delete a space with everything in it: for its owner.
create function axm.drop_space(wanted text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if axm.role_in(wanted) is distinct from 'owner' then
    perform axm.refuse();
  end if;
  perform axm.empty_space(wanted);
end
$$;

-- --- what administrators call ------------------------------------------------------------------------------------

-- Delete what only this person could reach, and end every membership. What they shared with others stays theirs.
create function axm.erase_person(person text) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  alone text;
  erased int := 0;
begin
  for alone in
    select m.space from axm.members m
    where m.who = person and not exists (select from axm.members o where o.space = m.space and o.who <> person)
  loop
    -- Row-level security shows a space to its members: for this transaction, the administrator is one.
    insert into axm.members (space, who, role) values (alone, session_user, 'owner') on conflict do nothing;
    perform axm.empty_space(alone);
    erased := erased + 1;
  end loop;
  for alone in select m.space from axm.members m where m.who = person loop
    delete from axm.members m where m.space = alone and m.who = person;
    perform axm.keep_an_owner(alone);
  end loop;
  return erased;
end
$$;

revoke all on all functions in schema axm from public;
grant usage on schema axm to axm_member;
grant execute on function
  axm.version(), axm.heads(text), axm.push(text, text, bigint, bytea, bytea),
  axm.pull(text, text, bigint, int, bigint), axm.put_packs(text, text, text[], bytea[]),
  axm.packs(text, text, text[], bigint), axm.put_key(text, text, bytea), axm.keys(text, text[]),
  axm.forget(text, text), axm.put_card(text, text, text, bytea), axm.cards(text, text), axm.members(text),
  axm.add_member(text, text, text), axm.remove_member(text, text), axm.drop_space(text)
to axm_member;
