-- The views over the published tables in which a number's rows are looked up.
-- Every one has row_id, the id by which `moot audit` goes on, and why, what the row is when it does not enter a number.
-- Each is made as a table when a query first asks for it, after those that it looks at, which stand before it: the counts are small, and
-- a view over views would be planned anew for each of them.

create table ended as
    select * from orders where "order" = 'abandon';

create table pairings as
    select m.matter_id || ':' || a.contestant || '~' || b.contestant as row_id, m.matter_id, a.contestant as one, b.contestant as two,
        a.contestant || '~' || b.contestant as pair, v.verdict, v.verdict_id, v.answer_a_was, v.answer_b_was, v.material_difference,
        case v.verdict when 'A' then v.answer_a_was when 'B' then v.answer_b_was end as won_by,
        case when v.verdict is null then 'missing' when v.verdict = 'unreadable' then 'unreadable' when won_by = one then 'wins_1'
            when won_by = two then 'wins_2' when v.verdict = 'tie' then 'ties' else 'both_inadequate' end as outcome,
        case outcome when 'missing' then coalesce('abandoned: ' || o.reason, 'abandoned: ' || x.reason, 'abandoned: ' || y.reason,
                case when p.contestant is null then one || ' has no answer' when q.contestant is null then two || ' has no answer'
                    else 'no verdict is recorded' end)
            when 'unreadable' then 'unreadable: ' || coalesce(v.unreadable_because, '')
            when 'ties' then 'a tie' when 'both_inadequate' then 'both inadequate' else 'won by ' || won_by end as why
    from contestants a join contestants b on a.contestant < b.contestant cross join matters m
        left join verdicts v on v.matter_id = m.matter_id and v.contestant_1 = a.contestant and v.contestant_2 = b.contestant
        left join answers p on p.matter_id = m.matter_id and p.contestant = a.contestant
        left join answers q on q.matter_id = m.matter_id and q.contestant = b.contestant
        left join ended o on o.pairing_id = m.matter_id || ':' || a.contestant || '~' || b.contestant
        left join ended x on x.matter_id = m.matter_id and x.contestant = a.contestant
        left join ended y on y.matter_id = m.matter_id and y.contestant = b.contestant;

create table seats as
    select row_id, matter_id, one as who, outcome, why, answer_a_was, won_by, case outcome when 'wins_1' then 'wins' when 'wins_2' then 'losses'
        else outcome end as came_to from pairings
    union all
    select row_id, matter_id, two, outcome, why, answer_a_was, won_by, case outcome when 'wins_2' then 'wins' when 'wins_1' then 'losses'
        else outcome end from pairings;

create table stood as
    select s.pairing_id as row_id, c.contestant as who, case c.contestant when s.answer_a_was then 'A' when s.answer_b_was then 'B' end as place,
        'stood as ' || place as why
    from contestants c left join assignments s on c.contestant in (s.answer_a_was, s.answer_b_was);

create table answered as
    select m.matter_id || ':' || c.contestant as row_id, m.matter_id, c.contestant as who, a.status, coalesce(a.names_itself, false) as names_itself,
        coalesce(a.addresses_the_judge, false) as addresses_the_judge, a.answer_id is not null as there, coalesce(a.status, 'unanswered') as why
    from contestants c cross join matters m left join answers a on a.matter_id = m.matter_id and a.contestant = c.contestant;

create table decided as
    select v.row_id, v.matter_id, length(w.text) - length(l.text) as longer_by,
        case sign(longer_by) when 1 then 'the longer won' when 0 then 'as long' else 'the shorter won' end as why
    from pairings v join answers w on w.matter_id = v.matter_id and w.contestant = v.won_by
        join answers l on l.matter_id = v.matter_id and l.contestant = if(v.won_by = v.one, v.two, v.one);

create table flags as
    select v.row_id, p.names_itself or q.names_itself as names_itself, p.addresses_the_judge or q.addresses_the_judge as addresses_the_judge,
        'neither answer is flagged' as why
    from pairings v join answered p on p.matter_id = v.matter_id and p.who = v.one join answered q on q.matter_id = v.matter_id and q.who = v.two
    where v.verdict is not null;

create table triples as
    select m.matter_id || ':' || a.contestant || '~' || b.contestant || '~' || c.contestant as row_id,
        (case x.outcome when 'wins_1' then 1 when 'wins_2' then -1 else 0 end) as ab,
        (case y.outcome when 'wins_1' then 1 when 'wins_2' then -1 else 0 end) as bc,
        (case z.outcome when 'wins_1' then -1 when 'wins_2' then 1 else 0 end) as ca,
        [x.outcome, y.outcome, z.outcome] as said,
        case when 'missing' in said then 'missing' when 'unreadable' in said then 'unreadable' when 'both_inadequate' in said then 'both_inadequate'
            when abs(ab + bc + ca) = 3 then 'circles' when (ab = 0)::int + (bc = 0)::int + (ca = 0)::int = 1 and ab + bc + ca <> 0
            then 'chains_with_end_tie' when (ab = 0)::int + (bc = 0)::int + (ca = 0)::int = 2 then 'two_ties_and_a_win' else 'consistent' end as kind,
        kind as why
    from contestants a join contestants b on a.contestant < b.contestant join contestants c on b.contestant < c.contestant cross join matters m
        join pairings x on x.matter_id = m.matter_id and x.one = a.contestant and x.two = b.contestant
        join pairings y on y.matter_id = m.matter_id and y.one = b.contestant and y.two = c.contestant
        join pairings z on z.matter_id = m.matter_id and z.one = a.contestant and z.two = c.contestant;

create table adequate as
    with inadequate as (select matter_id, unnest([one, two]) as who from pairings where outcome = 'both_inadequate')
    select p.row_id, p.outcome, p.outcome in ('wins_1', 'wins_2', 'ties') and exists (
            select 1 from inadequate i where i.matter_id = p.matter_id and i.who in (p.one, p.two)) as at_risk,
        p.outcome in ('wins_1', 'wins_2', 'ties') and exists (
            select 1 from inadequate i where i.matter_id = p.matter_id and i.who in (coalesce(p.won_by, p.one), coalesce(p.won_by, p.two)))
            as contradicts, p.why
    from pairings p;

create table reasoned as
    with points as (
        select verdict_id, list(distinct contestant) filter (where changes_course) as carried, list(point) filter (where not changes_course) as idle
        from rejected_points group by verdict_id)
    select p.row_id, won_by is not null and not p.material_difference as winner_without_material_difference,
        outcome = 'ties' and p.material_difference as tie_with_material_difference,
        outcome = 'ties' and len(coalesce(carried, [])) > 0 as tie_despite_a_point_that_changes_the_course,
        won_by is not null and coalesce(repeats(coalesce(rationale, ''), idle), false) as winner_on_a_point_that_changes_nothing,
        won_by is not null and coalesce(carried = [won_by], false) as winner_whose_course_rests_on_a_rejected_point, 'it follows from its reasons' as why
    from pairings p left join points using (verdict_id) left join verdicts v using (verdict_id) where p.material_difference is not null;

create table points as
    select r.verdict_id || ' point ' || r.point_number as row_id, c.contestant as who, r.changes_course, 'it changes nothing' as why
    from contestants c left join rejected_points r on r.contestant = c.contestant;

create table burdens as
    with judged as (select matter_id, unnest([one, two]) as who, verdict_id from pairings where outcome not in ('missing', 'unreadable')),
    found as (
        select j.who, j.matter_id, count(distinct j.verdict_id) as verdicts, count(r.point) as points from judged j
            left join rejected_points r on r.verdict_id = j.verdict_id and r.contestant = j.who group by 1, 2)
    select f.matter_id || ':' || f.who as row_id, f.matter_id, c.contestant as who, f.verdicts, f.points, f.points / f.verdicts as burden,
        'no point was rejected' as why
    from contestants c left join found f on f.who = c.contestant;

create table both_burdened as
    select p.matter_id || ':' || a.contestant || '~' || b.contestant as row_id, a.contestant || '~' || b.contestant as pair,
        p.burden - q.burden as more, '' as why
    from contestants a join contestants b on a.contestant < b.contestant
        left join (burdens p join burdens q on p.matter_id = q.matter_id) on p.who = a.contestant and q.who = b.contestant;

create table all_tested as
    with every as (select * from controls union all select * from second_controls)
    select c.control_id as row_id, c.judge, c.use, c.kind, c.matter_id, bool_and(c.verdict = c.expected) as passed, count(*) as verdicts,
        count(*) filter (where c.verdict = c.expected) as "right", count(*) filter (where c.verdict = 'unreadable') as unreadable,
        count(distinct case when c.verdict not in ('A', 'B') then c.verdict when (c.verdict = 'A') = (c.order_number = 1) then 'first'
            else 'second' end) = 1 and bool_and(c.verdict <> 'unreadable') as consistent, string_agg(c.verdict, ' and ' order by order_number) as why
    from every c group by 1, 2, 3, 4, 5;

create table tested as
    select t.* from all_tested t where judge not in (select judge from second_judges);

create table second_tested as
    select t.* from all_tested t where judge in (select judge from second_judges);

create table called as
    select request_sha256 as row_id, *, kind as why from calls;

create table assigned as
    select pairing_id as row_id, *, drawn_by as why from assignments;

create table tried as
    select a.attempt_id as row_id, c.contestant as who, a.scored, a.status, a.status as why from contestants c left join attempts a using (contestant);

create table asked as
    select matter_id as row_id, '' as why from matters;

create table judging as
    select judge as row_id, *, '' as why from judges;

create table second_judging as
    select judge as row_id, *, '' as why from second_judges;

create table halves as
    select kind as row_id, use, kind, count(*) as n, '' as why from tested group by use, kind;

create table second_halves as
    with counts as (select judge, use, kind, count(*) as n from second_tested group by 1, 2, 3)
    select j.judge || ' ' || c.kind as row_id, j.judge, c.use, c.kind, c.n, '' as why from second_judges j left join counts c using (judge);

create table bench as
    select judge as row_id, judge, false as second, passing_rate, order_consistency, matters, '' as why from judges
    union all select judge, judge, true, passing_rate, order_consistency, matters, '' from second_judges;

create table all_qualified as
    with kinds as (
        select judge, kind, count(*) as n, sum(passed::int) as passed, sum(consistent::int) as consistent
        from all_tested where use = 'testing' group by 1, 2),
    whole as (
        select b.judge, min(n) >= b.matters and bool_and(passed >= b.passing_rate * n) and sum(consistent) >= b.order_consistency * sum(n) as met
        from bench b join kinds k using (judge) group by b.judge, b.matters, b.passing_rate, b.order_consistency)
    select b.row_id, b.judge, b.second, '' as why, coalesce(b.passing_rate is not null and w.met, false) as met
    from bench b left join whole w using (judge);

create table qualified as
    select * from all_qualified where not second;

create table second_qualified as
    select * from all_qualified where second;

-- agreement: what is asked beside the scores. A study that asks for nothing has no row in any view but designs and bench.
create table designs as
    select judge as row_id, exists (from second_verdicts where turned) as both_orders, '' as why from judges;

create table seated as
    select * from bench where (select count(*) from second_judges) > 0 or (select bool_or(both_orders) from designs);

create table panel_qualified as
    select q.row_id, q.judge as who, q.met, q.why from all_qualified q where q.judge in (select judge from seated);

create table said as
    select verdict_id, pairing_id, judge, false as turned, presentation_id, verdict, winner from verdicts
    union all select verdict_id, pairing_id, judge, turned, presentation_id, verdict, winner from second_verdicts;

create table panelled as
    select p.row_id || if(s.second, '@' || s.judge, '') as row_id, s.judge as who, p.pair, f.verdict, t.verdict as turned_verdict,
        case when f.verdict is null then 'missing' when f.verdict = 'unreadable' then 'unreadable' when f.winner = p.one then 'wins_1'
            when f.winner = p.two then 'wins_2' when f.verdict = 'tie' then 'ties' else 'both_inadequate' end as outcome,
        case when f.verdict is null or t.verdict is null then 'missing' when 'unreadable' in [f.verdict, t.verdict] then 'unreadable'
            when f.winner = t.winner then 'consistent' when f.verdict = t.verdict then if(f.verdict = 'A', 'first_place', 'second_place')
            when 'both_inadequate' in [f.verdict, t.verdict] then 'adequate_and_not' else 'tie_and_winner' end as kind,
        concat_ws(', turned ', coalesce(f.verdict, 'missing'), t.verdict) as why
    from seated s cross join pairings p left join said f on f.judge = s.judge and f.pairing_id = p.row_id and not f.turned
        left join said t on t.judge = s.judge and t.pairing_id = p.row_id and t.turned;

create table in_both_orders as
    select * from panelled where (select bool_or(both_orders) from designs);

create table rated as
    with panels as (
        select a.judge || '~' || b.judge as panel, unnest([a.judge, b.judge]) as judge from seated a join seated b on a.judge < b.judge
        union all select 'all', judge from seated where (select count(*) from seated) > 2),
    heard as (select p.panel, s.* from panels p join said s using (judge)),
    voices as (select panel, turned, count(distinct judge) as raters from heard group by 1, 2)
    select min(h.verdict_id) as row_id, h.panel, if(h.turned, 'turned_order', 'first_order') as pass, v.raters,
        count(*) filter (where verdict = 'A') as a, count(*) filter (where verdict = 'B') as b, count(*) filter (where verdict = 'tie') as tie,
        count(*) filter (where verdict = 'both_inadequate') as both_inadequate, count(*) filter (where verdict <> 'unreadable') as ratings,
        (a * (a - 1) + b * (b - 1) + tie * (tie - 1) + both_inadequate * (both_inadequate - 1)) / nullif(ratings - 1, 0) as agreeing,
        string_agg(h.judge || ' says ' || verdict, ', ' order by h.judge) as why
    from heard h join voices v using (panel, turned) where v.raters > 1 group by h.panel, h.turned, v.raters, h.presentation_id;

-- scenarios: every pairing in every one of them, and whether it is left out there
create table struck as
    select s.scenario, a.matter_id, a.contestant as who, case s.rule when 'rerun' then 'was asked again' when 'names_itself' then 'names itself'
        else 'was ' || a.status end as because
    from scenarios s join answers a on case s.rule when 'blocked' then a.status in ('blocked', 'filtered') when 'truncated' then a.status = 'truncated'
        when 'rerun' then a.attempt > 1 when 'names_itself' then a.names_itself else false end;

create table scenes as
    select p.row_id, p.matter_id, s.scenario, p.pair, p.outcome, coalesce(contains(s.matters, '"' || p.matter_id || '"'), false) as listed,
        listed or x.who is not null or y.who is not null as gone, case when gone then 'left out: ' || concat_ws(', ',
            if(listed, p.matter_id || ' is listed', null), p.one || ' ' || x.because, p.two || ' ' || y.because) else p.why end as why
    from scenarios s left join pairings p on true left join struck x on x.scenario = s.scenario and x.matter_id = p.matter_id and x.who = p.one
        left join struck y on y.scenario = s.scenario and y.matter_id = p.matter_id and y.who = p.two;

create table turns as
    with counts as (
        select scenario, pair, count(*) filter (outcome = 'wins_1' and not gone) as w, count(*) filter (outcome = 'wins_2' and not gone) as l,
            count(*) filter (outcome not in ('unreadable', 'missing') and not gone) as n from scenes where row_id is not null group by 1, 2)
    select 'scenarios:' || s.scenario || '.pairs.' || c.pair as row_id, s.scenario, sign(c.w - c.l) <> sign(h.w - h.l) as lead_moved,
        tells_apart(c.w, c.l, c.n) <> tells_apart(h.w, h.l, h.n) as interval_moved,
        'wins ' || c.w || ' to ' || c.l || ', as delivered ' || h.w || ' to ' || h.l as why
    from scenarios s left join (counts c join counts h on h.pair = c.pair and h.scenario = 'as_delivered') on c.scenario = s.scenario;

-- timing: the days, of UTC, between a matter's publication and the call behind the scored answer
create table timed as
    with series as (select distinct series from matters),
    asked_on as (
        select a.matter_id || ':' || a.contestant as row_id, a.contestant, m.series, m.published, a.started_at::date - m.published as days
        from attempts a join matters m using (matter_id) where a.scored)
    select a.row_id, c.contestant as who, s.series, c.contestant || ':' || s.series as name, a.days, c.trained_until is not null as declared,
        a.published > c.trained_until as after_training, coalesce(bool_or(a.days >= 0) over (partition by c.contestant, s.series), false) as public,
        'asked ' || a.days || ' days after its publication' as why
    from contestants c cross join series s left join asked_on a on a.contestant = c.contestant and a.series = s.series;

create table trained as
    select * from timed where declared;

-- disclosures: what the sentences count
create table told as
    select * from timed where public;

create table told_of_trained as
    select * from told where declared;

create table served as
    with asked as (
        select a.contestant as who, c.* from attempts a join calls c on c.kind = 'answer' and c.request_sha256 = a.request_sha256
        union all select 'judge:' || v.judge, c.* from verdicts v join calls c on c.kind = 'verdict' and c.request_sha256 = v.request_sha256),
    several as (select who, count(distinct served_model) as models, count(distinct served_by) as hosts from asked group by who)
    select a.request_sha256 as row_id, who || ':models' as name, served_model as said, models > 1 as odd, 'by ' || served_model as why
        from asked a join several using (who)
    union all select a.request_sha256, who || ':hosts', served_by, hosts > 1, 'by ' || served_by from asked a join several using (who)
    union all select request_sha256, who || ':other', request_sha256, coalesce(served_model <> model, false), 'by ' || served_model from asked;

create table one_judge as
    select v.pairing_id as row_id, '' as why from verdicts v
    where (select count(distinct judge) = 1 and count(distinct instrument) = 1 from verdicts);

create table claimed as
    select m.matter_id as row_id, 'matters' as what, '' as why from matters m where exists (from verdicts where verdict <> 'unreadable')
    union all select contestant, 'contestants', '' from contestants where exists (from verdicts where verdict <> 'unreadable');

create table ordered_again as
    select matter_id || ':' || contestant || ':' || attempt as row_id, attempt, reason as why from orders where "order" = 'rerun';
