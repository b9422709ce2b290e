# Every target sets up what it needs. To choose the Python: make PYTHON=/path/to/python3 demo

python := .venv/bin/python
set_up := .venv/.installed
playable := .venv/.playable
code := hm_agent hm_agent_verifiers.py tests benchmarks run_scenario.py

.DEFAULT_GOAL := help
.PHONY: help demo demo-llm test test-quick test-local test-heavy test-evals test-verifiers test-openenv mutants proofs lint format bench attack stress \
	compare ablations orders minds cards cards-local train-symmtom learners learned-players learned-bots \
	bots docs lock wheel clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

demo: $(playable) ## play one episode with the built-in reasoner; its video, trace and result go to runs/demo
	$(python) run_scenario.py --scenario=rws_repeated_1 --agent=hypothetical_minds --model=builtin --episodes=1 \
		--record_video --out=runs/demo --overwrite

demo-llm: $(set_up) ## play 100 steps with a language model of 135M parameters in this process; the page goes to runs/demo-llm
	@.ci/set_up local
	$(python) run_scenario.py --scenario=rws_repeated_1 --agent=hypothetical_minds --model=local:smollm2 --episodes=1 \
		--max_steps=100 --bots=scripted --out=runs/demo-llm --overwrite

# Three workers for two cores: while the tests of one wait for processes, browsers or timeouts, the other two work.
test: lint ## lint, then run the tests
	$(python) -m pytest -n 3 --dist loadfile --no-loadscope-reorder

test-quick: $(set_up) ## before a commit: no processes, browsers, JAX, Ray, nor what took over 0.2 s; 90 seconds on two cores
	$(python) -m pytest -n 2 --dist loadfile --no-loadscope-reorder --quick

test-heavy: $(set_up) ## run what `make test` leaves out: the longest tests of faults and kills, and cases like others
	$(python) -m pytest -m heavy -n 2 --dist loadfile --no-loadscope-reorder

test-local: $(set_up) ## run the tests that ask a language model in this process; gets and builds it first
	@.ci/set_up local
	$(python) -m pytest tests/local

test-evals: $(set_up) ## run the tests with datasets, inspect_ai, lm-evaluation-harness, MCP's client and Every Eval Ever; gets these first
	@.ci/set_up evals
	$(python) -m pytest tests/evals -W default

# Their libraries lie beside the others: verifiers asks for an older OpenAI than inspect_ai does, OpenEnv for an older MCP.
beside = [ -d .venv/$(1) ] || $(python) -m pip install --quiet --target=.venv/$(1) $(2)

test-verifiers: $(set_up) ## run the tests that have verifiers play text environments with a model on loopback; gets verifiers first
	$(call beside,verifiers,'verifiers>=0.4$(comma)<0.5')
	PYTHONPATH=.venv/verifiers $(python) -m pytest tests/verifiers -W default

test-openenv: $(set_up) ## run the tests of the example that serves text environments by OpenEnv; gets OpenEnv first
	$(call beside,openenv,'openenv>=0.10$(comma)<0.11')
	PYTHONPATH=.venv/openenv $(python) -m pytest tests/openenv -W default

mutants: $(set_up) ## put faults into a copy of the package, one at a time, and see that a test fails; ONLY=inference tries those of such a name
	$(python) -m tests.mutants $(if $(ONLY),--only='$(ONLY)')

proofs: $(set_up) ## prove every household task that ships again, hard ones too; takes some minutes
	$(python) -m hm_agent verify --workers=2
	$(python) -m hm_agent verify --workers=2 scenarios/enacttom/hard

lint: $(set_up) ## check style, form and types
	$(python) -m ruff check $(code)
	$(python) -m ruff format --check $(code)
	$(python) -m mypy

format: $(set_up) ## repair style and form
	$(python) -m ruff check --fix-only $(code)
	$(python) -m ruff format $(code)

bench: $(set_up) ## measure speed and reward
	$(python) -m benchmarks

attack: $(set_up) ## attack the command from all sides for twenty minutes; ATTACK_SECONDS=60 takes less
	$(python) -m benchmarks attack

stress: $(set_up) ## attack, then let an endpoint and processes fail in real games, and work for long; takes an hour
	$(python) -m benchmarks stress

papers_games := rws_arena_*,rws_repeated_*,rws_unseen_*,pd_repeated_*,pd_unseen_*

compared := --agent=hypothetical_minds,hm_joint,react,reflexion,plan_react,ppo,oracle,random --checkpoint=self_play
play_compared = $(python) run_scenario.py --episodes=5 --workers=2

compare: $(set_up) learned-bots ## play the thirty scenarios and the unseen ones with eight agents, five seeds each, after learned-bots; the report goes to benchmarks/results/
	$(play_compared) --scenario='$(papers_games),cooking_asymmetric_*' --bots=scripted $(compared) --out=runs/compare --report=benchmarks/results

# To play less: make ablations ablated_matrix_games=rws_repeated_1 ablated_kitchens=cooking_asymmetric_0 \
#   ablated_episodes=1 ablations_report=runs/ablations/report
ablated_matrix_games := $(papers_games)
ablated_kitchens := cooking_asymmetric_*
ablated_episodes := 2
without_clues := --clues=off
ablations_report := benchmarks/results/ablations
ablation_agents := hypothetical_minds,mmp,mmp_he,vmp,react
cut_to_constants := order_0
play_ablations = $(python) run_scenario.py --bots=scripted --workers=2 --noreplay --episodes=$(ablated_episodes)

ablations: $(set_up) ## play the ablations with and without clues, two seeds each; the report goes to benchmarks/results/ablations/
	$(play_ablations) --scenario='$(ablated_matrix_games)' --agent=$(ablation_agents),$(cut_to_constants),oracle,random \
		--out=runs/ablations/with_clues
	$(play_ablations) --scenario='$(ablated_matrix_games)' --agent=$(ablation_agents),$(cut_to_constants) $(without_clues) \
		--out=runs/ablations/without_clues
	$(play_ablations) --scenario='$(ablated_kitchens)' --agent=$(ablation_agents),oracle,random \
		--out=runs/ablations/with_clues
	$(python) run_scenario.py --report_only --out=runs/ablations/with_clues,runs/ablations/without_clues \
		--report=$(ablations_report)

# To play less: make orders ordered_scenarios='rws_order_*' ordered_episodes=1 orders_out=runs/few orders_report=runs/few
ordered_scenarios := rws_order_*,rws_repeated_[0135],rws_unseen_[1-7],pd_repeated_*,pd_unseen_[0-4]
ordered_without_clues := rws_order_*
ordered_selfplay := rws_repeated_selfplay,pd_repeated_selfplay
ordered_episodes := 5
orders_out := runs/orders
orders_report := benchmarks/results/orders
order_agents := order_0 order_1 order_2
order_seats := $(foreach first,$(order_agents),$(foreach second,$(order_agents),$(first),$(second)))
play_orders = $(python) run_scenario.py --bots=scripted --workers=2 --noreplay --episodes=$(ordered_episodes)

orders: $(set_up) ## ask when a mind helps: agents of order 0 to 2 against opponents of each and each other; see docs/orders.md
	for seats in $(order_seats); do \
		$(play_orders) --scenario='$(ordered_selfplay)' --seats=$$seats --out=$(orders_out)/with_clues || exit; done
	$(play_orders) --scenario='$(ordered_scenarios)' --out=$(orders_out)/with_clues --agent='order_*,oracle'
	$(play_orders) --scenario='$(ordered_without_clues)' --out=$(orders_out)/without_clues --agent='order_*' --clues=off
	$(python) -m hm_agent orders --out=$(orders_out)/with_clues,$(orders_out)/without_clues --report=$(orders_report)

# To train less: make train-symmtom trained_episodes=6000 train_out=runs/few train_report=runs/few/report
trained_episodes := 60000
train_out := runs/train
train_report := benchmarks/results/symmtom_learning
maddpg_family := maddpg,maddpg_oracle,maddpg_ce,maddpg_ge,maddpg_ee,rmaddpg
other_small_boards := symmtom_w6_n3_c6,symmtom_w6_n3_c9,symmtom_w6_n4_c4,symmtom_w6_n4_c8,symmtom_w6_n4_c12
train = $(python) -m hm_agent train symmtom --episodes=$(trained_episodes) --out=$(train_out) --results=$(train_report)

train-symmtom: $(set_up) ## train SymmToM's agents; takes hours, goes on where it was cut short; results go to benchmarks/results/symmtom_learning
	$(train) --algorithm=ippo --team_share=0.5 --scenario='symmtom_*'
	$(train) --algorithm=$(maddpg_family) --scenario=symmtom_w6_n3_c3 --seeds=0,1,2
	$(train) --algorithm=$(maddpg_family) --scenario=$(other_small_boards)

best_responses := pd_repeated_1:4e5 pd_repeated_2:4e5 chicken_repeated_1:4e5 chicken_repeated_2:4e5 chicken_repeated_7:4e5 rws_repeated_6:2e5
puppets_of := pd_repeated rws_repeated chicken_repeated stag_hunt_repeated bach_or_stravinsky_repeated \
	pure_coordination_repeated rationalizable_coordination_repeated
trained_again := pd_repeated:1.5e6 rws_repeated:1.5e6
self_played := $(trained_again) cooking_asymmetric:1e6 rws_arena:2e5
train_players = $(python) -m hm_agent train melting_pot --evaluation=10 --out=runs/learned_players

learned-players: $(set_up) ## train the networks of Melting Pot that ship; takes hours, goes on where it was cut short; results go to benchmarks/results/learned_players
	for trained in $(best_responses); do \
		$(train_players) --against=$${trained%:*} --steps=$${trained#*:} --start=puppets || exit; done
	for trained in $(self_played); do \
		$(train_players) --substrate=$${trained%:*} --steps=$${trained#*:} || exit; done
	for trained in $(trained_again); do \
		$(train_players) --substrate=$${trained%:*} --steps=$${trained#*:} --seeds=1,2 || exit; done
	for substrate in $(puppets_of); do \
		$(train_players) --puppets --substrate=$$substrate --steps=8e5 --discount=0.98 || exit; done
	$(python) -m benchmarks.learned_players runs/learned_players

against_puppets := pd_repeated_*,pd_unseen_*,rws_repeated_[0-4],rws_repeated_[6-8],rws_unseen_*
empty :=
spaced := $(empty) $(empty)
comma := ,
other_games := $(subst $(spaced),$(comma),$(patsubst %,%_?,$(filter-out pd_repeated rws_repeated,$(puppets_of))))

learned-bots: $(set_up) ## play against puppets that learned, five seeds each; the report goes to benchmarks/results/learned_bots
	$(play_compared) --noreplay --scenario='$(against_puppets)' --bots=learned $(compared) --out=runs/learned_bots/compared
	$(play_compared) --noreplay --scenario='$(other_games)' --bots=learned --agent=hypothetical_minds,react,oracle,random \
		--out=runs/learned_bots/other_games
	$(python) run_scenario.py --report_only --out=runs/learned_bots/compared,runs/learned_bots/other_games \
		--report=benchmarks/results/learned_bots

learners: $(set_up) ## train what the table of SymmToM's learners lacks: the MADDPG family on all boards, then seeds 1 and 2; takes days
	$(train) --missing --algorithm=$(maddpg_family) --scenario='symmtom_*'
	$(train) --missing --algorithm=$(maddpg_family) --scenario='symmtom_*' --seeds=1,2

minds_out := runs/minds
played_for_minds = $(python) run_scenario.py --workers=2 --noreplay --out=$(minds_out)
shortcuts_in_matrix_games = $(shell $(python) -c "from hm_agent.catalogue.registry import suites; \
	print(*suites()['matrix_games'].shortcuts, sep=',')" 2>/dev/null)

minds: $(set_up) ## ask what the built-in reasoner knows of other minds beside what it does with it; see docs/minds.md
	$(played_for_minds) --scenario='rws_repeated_*,pd_repeated_*,rws_unseen_*,pd_unseen_*' --bots=scripted --episodes=2 \
		--agent=hypothetical_minds,hm_joint,hm_odds,oracle,random
	$(played_for_minds) --scenario='symmtom_w6_*' --literal=5 --episodes=5 \
		--agent=hypothetical_minds,hm_joint,k_oracle,heuristic,k_first,random
	$(played_for_minds) --scenario='exploretom_functional_*' --episodes=5 --agent=hypothetical_minds,reader
	$(played_for_minds) --scenario='enacttom_cooperative_*,enacttom_mixed_*' --agent=hypothetical_minds,hm_joint,order1,order2,flood
	$(played_for_minds) --scenario='mg_*' --episodes=2 --agent=hypothetical_minds,hm_joint,oracle,$(shortcuts_in_matrix_games)
	$(python) -m hm_agent minds --out=$(minds_out) --report=benchmarks/results/minds

cards_out := runs/cards
carded := hypothetical_minds react order_0 order_1 order_2 order_3

cards: $(set_up) ## make the cards of the built-in reasoner and of the agents of known order; see docs/cards.md
	$(python) -m hm_agent battery --size=full --noreplay --workers=2 --out=$(cards_out) \
		--agent=$(subst $(spaced),$(comma),$(carded))
	for agent in $(carded); do mkdir -p benchmarks/results/cards/$$agent \
		&& cp $(cards_out)/cards/$$agent/builtin/card.json benchmarks/results/cards/$$agent/ || exit; done
	cp $(cards_out)/cards/hypothetical_minds/builtin/card.html $(cards_out)/cards/hypothetical_minds/builtin/card.png \
		benchmarks/results/cards/hypothetical_minds/
	$(python) -m hm_agent leaderboard benchmarks/results/cards/*/card.json --out=benchmarks/results/cards

small_out := runs/cards-local
small_results := benchmarks/results/cards/small
play_small = $(python) -m hm_agent battery --noreplay --out=$(small_out)

cards-local: $(set_up) ## make the small card of the language model that runs in this process; see docs/cards.md
	@.ci/set_up local
	$(play_small) --agent=hypothetical_minds --model=local:smollm2
	$(play_small) --agent=hypothetical_minds,order_0,order_1,order_2,order_3
	for card in $(small_out)/cards/*/*; do to=$(small_results)/$${card#$(small_out)/cards/}; \
		mkdir -p $$to && cp $$card/card.json $$to/ || exit; done
	for name in card.html card.png answers.jsonl.gz; do \
		cp $(small_out)/cards/hypothetical_minds/*smollm2*/$$name $(small_results)/hypothetical_minds/*smollm2*/ || exit; done
	$(python) -m hm_agent leaderboard $(small_results)/*/*/card.json --out=$(small_results)

bots: $(set_up) ## get Melting Pot's trained bots: by download, or from BOTS_ARCHIVE=/path/to/its/archive; BOTS_SHA256 is compared
	@.ci/set_up bots

docs: $(set_up) ## build the documentation as a site in build/site
	@.ci/set_up docs
	NO_MKDOCS_2_WARNING=1 $(python) -m mkdocs build --strict

lock: $(set_up) ## write requirements.lock and .ci/extras.lock anew after a change of pyproject.toml; UPGRADE=1 takes the newest versions
	@.ci/set_up lock

wheel: $(set_up) ## build dist/*.tar.gz and, from it, dist/*.whl
	$(python) -m build

clean: ## remove builds and caches; .venv and runs stay
	rm -rf dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find $(code) -name __pycache__ -type d -prune -exec rm -rf {} +

# The variables PYTHON, BOTS_ARCHIVE, BOTS_SHA256 and UPGRADE reach it through the environment.
$(set_up): pyproject.toml requirements.lock .ci/play.lock
	@.ci/set_up

$(playable): pyproject.toml requirements.lock .ci/play.lock
	@.ci/set_up play
